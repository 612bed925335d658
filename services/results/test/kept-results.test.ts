import { openDatabase } from '@assay/runtime/mongo/database';
import { profileCommands } from '@assay/testing/profiled-commands';
import { useRunRecords } from '@assay/testing/run-records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createForgetting } from '../src/domain/forgetting.ts';
import { createStore } from '../src/store.ts';

// Nobody but the tests reads runs: readings are counted.
const { config, identity, newMetric, newRecord, newRun, newTestset, request } = useRunRecords({
  config: { RESULTS_QUIET_MS: 3_600_000 },
});

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: config().MONGODB_URI,
    name: `${config().DATABASE_PREFIX}_results`,
  });
});
afterAll(() => database.close());

interface ScoredRun {
  id: string;
  metricVersionIds: string[];
  recordIds: string[];
}

/** Two runs of a testset, whose records a client has scored. */
async function scoredRuns(): Promise<[ScoredRun, ScoredRun]> {
  const { testset, testcaseIds } = await newTestset(6);
  const metricId = await newMetric({ evalType: 'heuristic', outputType: 'boolean' });
  const scored = async (passing: number): Promise<ScoredRun> => {
    const run = await newRun({ metricIds: [metricId], testsetId: testset });
    const recordIds: string[] = [];
    for (const [place, testcaseId] of testcaseIds.entries()) {
      const { id } = (await newRecord(run.id, { testcaseId })).body;
      await score(run, id, place < passing);
      recordIds.push(id);
    }
    return { ...run, recordIds };
  };
  return [await scored(2), await scored(5)];
}

const score = (
  { metricVersionIds }: Pick<ScoredRun, 'metricVersionIds'>,
  recordId: string,
  value: boolean,
) => request('PUT', `/records/${recordId}/scores/${metricVersionIds[0]}`, { score: { value } });

/** How often records of these runs have been read since the beginning, with this work. */
async function countReadings(runs: ScoredRun[], work: () => Promise<unknown>): Promise<number> {
  const { MONGODB_URI, DATABASE_PREFIX } = config();
  const profiled = await profileCommands(MONGODB_URI, DATABASE_PREFIX);
  await work();
  const ids = runs.map(({ id }) => id);
  const found = (await profiled()).filter(
    ({ service, collection, command }) =>
      service === 'run-records' &&
      collection === 'records' &&
      ids.includes((command as { filter?: { runId?: string } }).filter?.runId ?? ''),
  );
  return found.length;
}

/** The answer, and whether records of these runs were read for it. */
async function answered(runs: ScoredRun[], ask: () => Promise<{ body: unknown }>) {
  const before = await countReadings(runs, async () => {});
  let body: unknown;
  const after = await countReadings(runs, async () => {
    body = (await ask()).body;
  });
  return { body, isRead: after > before };
}

const keptOf = ({ id }: ScoredRun) =>
  database.collection('kept_results').countDocuments({ runIds: id });

const options = { errors: 'worst', level: 0.95 };

const comparing = ([baseline, candidate]: [ScoredRun, ScoredRun], change: object = {}) =>
  answered([baseline, candidate], () =>
    request('POST', '/comparisons', {
      baselineRunId: baseline.id,
      candidateRunId: candidate.id,
      ...options,
      ...change,
    }),
  );

test('a second look at a comparison reads no records, until one of the runs changes', async () => {
  const runs = await scoredRuns();
  const first = await comparing(runs);
  expect(first).toMatchObject({ isRead: true, body: { metrics: [{ paired: 6, improved: 3 }] } });
  expect(await comparing(runs)).toEqual({ body: first.body, isRead: false });
  expect((await comparing(runs, { level: 0.9 })).isRead).toBe(true);
  await score(runs[1], runs[1].recordIds[5]!, true);
  expect(await comparing(runs)).toMatchObject({
    isRead: true,
    body: { metrics: [{ paired: 6, improved: 4 }] },
  });
});

test('a comparison by metadata of testcases, which change by themselves, is made anew', async () => {
  const runs = await scoredRuns();
  const change = { groupBy: '/metadata/topic' };
  await comparing(runs, change);
  expect((await comparing(runs, change)).isRead).toBe(true);
});

test('a second look at a summary reads no records, until the run changes', async () => {
  const [run] = await scoredRuns();
  const summarizing = (query = '') =>
    answered([run], () => request('GET', `/runs/${run.id}/summary${query}`));
  const first = await summarizing();
  expect(first).toMatchObject({ isRead: true, body: { metrics: [{ count: 6, passRate: 2 / 6 }] } });
  expect(await summarizing()).toEqual({ body: first.body, isRead: false });
  expect((await summarizing('?minPasses=1')).isRead).toBe(true);
  await score(run, run.recordIds[5]!, true);
  expect(await summarizing()).toMatchObject({
    isRead: true,
    body: { metrics: [{ passRate: 3 / 6 }] },
  });
});

test('of no other organization is anything kept, and all that is kept of a run goes with it', async () => {
  const runs = await scoredRuns();
  await comparing(runs);
  await request('GET', `/runs/${runs[0].id}/summary`);
  expect(await keptOf(runs[0])).toBe(2);
  const { forgetRun } = createForgetting({ store: createStore(database) });
  const other = { ...identity(), organizationId: 'another' };
  await forgetRun(other, runs[0].id);
  expect(await keptOf(runs[0])).toBe(2);
  await forgetRun(identity(), runs[0].id);
  expect(await keptOf(runs[0])).toBe(0);
});

test('an organization has its newest results kept, and an answer that is too large not at all', async () => {
  const { keptResults } = createStore(database);
  const { organizationId } = identity();
  const keep = (id: string, text = '{}') =>
    keptResults.keep(organizationId, { id, runIds: ['many'], state: 'now', text });
  const earlier = Array.from({ length: 5000 }, (_, place) => ({
    _id: `earlier ${place}` as never,
    organizationId,
    runIds: ['many'],
    state: 'now',
    text: '{}',
    keptAt: new Date(place),
    expiresAt: new Date(Date.now() + 60_000),
  }));
  await database.collection('kept_results').insertMany(earlier);
  await keep('newest');
  const find = (id: string) => keptResults.find(organizationId, id, 'now');
  expect(await find('newest')).toBe('{}');
  expect(await find('earlier 0')).toBeUndefined();
  expect(await find('earlier 4999')).toBe('{}');
  await keep('large', JSON.stringify('x'.repeat(1024 * 1024)));
  expect(await find('large')).toBeUndefined();
});
