import { openDatabase } from '@assay/runtime/mongo/database';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVolume } from '../src/domain/volume.ts';
import { migrations } from '../src/migrations.ts';
import { createHeadStore } from '../src/store/heads.ts';
import { createTraceVolume } from '../src/store/trace-volume.ts';
import { newTraceId } from './setting.ts';

const config = testConfig();
const organizationId = 'organization';
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: config.MONGODB_URI,
    name: `${config.DATABASE_PREFIX}_traces`,
  });
  for (const { up } of migrations) await up(database);
});
afterAll(async () => {
  await database.close();
  await dropData(config);
});

const newArrival = (traceId: string, { of = organizationId, at = new Date() } = {}) => ({
  organizationId: of,
  arrival: {
    traceId,
    projectId: 'project',
    isProjectGuessed: false,
    numSpans: 1,
    numErrors: 0,
    startedAt: 1,
    endedAt: 2,
    firstName: 'first',
    rootName: undefined,
    serviceName: undefined,
    isNeverKept: false,
    at,
    expiresAt: new Date(Date.now() + 60_000),
  },
});

test('traces to be settled are taken by organization: the backlog of one stands before no trace of another', async () => {
  const heads = createHeadStore(database);
  const backlog = Array.from({ length: 300 }, () =>
    newArrival(newTraceId(), { of: 'busy', at: new Date(1_000) }),
  );
  const late = newTraceId();
  await heads.noteArrivals([...backlog, newArrival(late, { of: 'other', at: new Date(2_000) })]);
  const due = { withRoot: new Date(3_000), withoutRoot: new Date(3_000) };
  expect((await heads.dueOrganizations(due)).toSorted()).toEqual(['busy', 'other']);
  expect(await heads.dueOrganizations({ ...due, withoutRoot: new Date(1_500) })).toEqual(['busy']);
  const now = new Date(3_000);
  expect(await heads.settleLagMs({ ...due, now })).toBe(2_000);
  const claim = { now: new Date(3_000), claimedMs: 60_000, limit: 250 };
  const taken = await heads.takeDue('other', { ...due, ...claim, claim: 'one' });
  expect(taken.map(({ traceId }) => traceId)).toEqual([late]);
  expect(await heads.takeDue('other', { ...due, ...claim, claim: 'two' })).toEqual([]);
  expect(await heads.takeDue('busy', { ...due, ...claim, claim: 'two' })).toHaveLength(250);
  expect(await heads.settleLagMs({ ...due, now })).toBe(2_000);
  expect(await heads.takeDue('busy', { ...due, ...claim, claim: 'three' })).toHaveLength(50);
  expect(await heads.settleLagMs({ ...due, now })).toBe(0);
});

test('spans of a new trace that several requests bring in the same moment are all counted', async () => {
  const heads = createHeadStore(database);
  for (let round = 0; round < 40; round++) {
    const traceId = newTraceId();
    await Promise.all(Array.from({ length: 8 }, () => heads.noteArrivals([newArrival(traceId)])));
    expect(await heads.find(organizationId, traceId)).toMatchObject({
      organizationId,
      numSpans: 8,
    });
  }
});

test('lists by a session, a user, a name, a service, a tag and a link read the index of it', async () => {
  const stored = database.collection<{ _id: string }>('traces');
  await stored.insertMany(
    Array.from({ length: 300 }, (_, number) => ({
      _id: `listed ${number}`,
      organizationId: 'listed',
      projectId: 'listed',
      traceId: `${number}`,
      startedAt: number,
      numErrors: 0,
      name: `name ${number}`,
      serviceName: `service ${number}`,
      sessionId: `session ${number}`,
      userId: `user ${number}`,
      tags: [`tag ${number}`],
      linkIds: [`link ${number}`],
    })),
  );
  const heads = createHeadStore(database);
  const page = { limit: 50, after: undefined };
  const readsOf = async (field: string): Promise<number> => {
    const indexes = stored.aggregate<{ key: object; accesses: { ops: number } }>([
      { $indexStats: {} },
    ]);
    const own = (await indexes.toArray()).find(({ key }) => field in key);
    return Number(own!.accesses.ops);
  };
  for (const [field, find] of Object.entries({
    sessionId: () => heads.listOfSession('listed', 'session 7', page),
    userId: () => heads.listOfProject('listed', 'listed', { userId: 'user 7' }, page),
    name: () => heads.listOfProject('listed', 'listed', { name: 'name 7' }, page),
    serviceName: () => heads.listOfProject('listed', 'listed', { serviceName: 'service 7' }, page),
    tags: () => heads.listOfProject('listed', 'listed', { tag: 'tag 7' }, page),
    linkIds: () => heads.listOfProject('listed', 'listed', { linkId: 'link 7' }, page),
  })) {
    const before = await readsOf(field);
    expect((await find()).items.map(({ traceId }) => traceId)).toEqual(['7']);
    expect(await readsOf(field), field).toBeGreaterThan(before);
  }
});

test('traces are counted in equal stretches of time, by the filters of the list, the newest first while time is left', async () => {
  const minute = (number: number) => Date.UTC(2026, 2, 1, 9, number);
  await database.collection<{ _id: string }>('traces').insertMany(
    [0, 1, 1, 2, 5, 7].map((at, number) => ({
      _id: `counted ${number}`,
      organizationId: 'counted',
      projectId: 'counted',
      traceId: `${number}`,
      startedAt: minute(at),
      numErrors: number % 2,
      serviceName: at < 5 ? 'early' : 'late',
    })),
  );
  const volumeOf = (fewMax: number, clock = () => 0) =>
    createVolume({
      store: { volume: createTraceVolume(database) },
      now: () => new Date(minute(7)),
      clock,
      fewMax,
    });
  // Few traces are read, and more are counted: both say the same.
  for (const volume of [volumeOf(100), volumeOf(0)]) {
    const read = async (filter: object, buckets = 3) =>
      volume.read('counted', 'counted', { from: minute(0), to: minute(7), ...filter, buckets });
    const counts = async (filter: object) =>
      (await read(filter)).data.map(({ traces, errors }) => [traces, errors]);

    const whole = await read({});
    expect(whole).toMatchObject({ bucketMs: 140_000, isComplete: true });
    expect(whole.data.map(({ from }) => Date.parse(from) - minute(0))).toEqual([
      0, 140_000, 280_000,
    ]);
    // The trace of the last moment began at `to`, and is not in it.
    expect(await counts({})).toEqual([
      [4, 2],
      [0, 0],
      [1, 0],
    ]);
    expect(await counts({ serviceName: 'late' })).toEqual([
      [0, 0],
      [0, 0],
      [1, 0],
    ]);
    expect(await counts({ hasErrors: true })).toEqual([
      [2, 2],
      [0, 0],
      [0, 0],
    ]);
    expect((await counts({ hasErrors: false }))[0]).toEqual([2, 0]);
    const day = await volume.read('counted', 'counted', { buckets: 24 });
    expect([day.data.length, day.bucketMs, day.data.at(-1)!.traces]).toEqual([24, 3_600_000, 5]);
  }

  let passedMs = 0;
  const slow = volumeOf(0, () => (passedMs += 400));
  const cut = await slow.read('counted', 'counted', { from: minute(0), to: minute(7), buckets: 7 });
  expect(cut.isComplete).toBe(false);
  expect(cut.data.map(({ traces }) => traces)).toEqual([null, null, null, null, null, 1, 0]);
});
