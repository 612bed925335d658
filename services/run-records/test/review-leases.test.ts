import { openDatabase } from '@assay/runtime/mongo/database';
import { poll } from '@assay/testing/poll';
import { send } from '@assay/testing/reply';
import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';

const {
  config,
  identity,
  projectId,
  request,
  sealed,
  url,
  newMetric,
  newMember,
  newRun,
  newRecord,
} = useRunRecords();

const human = { evalType: 'human', outputType: 'int' };
const asOther = { identity: { organizationId: missingId } };
const leaseMs = 600_000;

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: config().MONGODB_URI,
    name: `${config().DATABASE_PREFIX}_run-records`,
  });
});
afterAll(() => database.close());

/** A run with human metrics and records, oldest first. */
async function reviewed({
  metrics = [{}],
  records = 1,
}: {
  metrics?: object[];
  records?: number;
} = {}) {
  const metricIds: string[] = [];
  for (const metric of metrics) metricIds.push(await newMetric({ ...human, ...metric }));
  const run = await newRun({ metricIds });
  const recordIds: string[] = [];
  for (let index = 0; index < records; index++)
    recordIds.push((await newRecord(run.id)).body.id as string);
  return {
    runId: run.id as string,
    recordIds,
    metricIds,
    versionIds: run.metricVersionIds as string[],
  };
}

async function members(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await newMember());
  return ids;
}

const next = (member: string, wish: object, query = '') =>
  request(
    'POST',
    `/review-queue/next${query}`,
    { projectId: projectId(), ...wish },
    asMember(member),
  );

/** The record that a member gets, or null. */
async function taken(member: string, wish: object): Promise<string | null> {
  const { status, body, text } = await next(member, wish);
  expect(status, text).toBe(200);
  return body.item?.record.id ?? null;
}

const give = (member: string, recordId: string, versionId: string) =>
  request(
    'PUT',
    `/records/${recordId}/scores/${versionId}`,
    { score: { value: 4 } },
    asMember(member),
  );

describe('the next item of the review queue', () => {
  test('is an item as the list has it, with the metrics asked for and a lease of ten minutes', async () => {
    const { runId, recordIds } = await reviewed({ metrics: [{ guidelines: 'Kind?' }, {}] });
    const ada = await newMember();
    const before = Date.now();
    const { body } = await next(ada, { runId });
    const listed = (await request('GET', `/review-queue?runId=${runId}`)).body.data;
    expect(body).toEqual({
      item: listed[0],
      metrics: listed.map(({ metric }: { metric: object }) => metric),
      leaseUntil: expect.any(String),
    });
    expect(body.item.record.id).toBe(recordIds[0]);
    expect(Date.parse(body.leaseUntil)).toBeGreaterThanOrEqual(before + leaseMs);
    expect(Date.parse(body.leaseUntil)).toBeLessThanOrEqual(Date.now() + leaseMs);
    const { item } = (await next(ada, { runId }, '?preview=4&fields=/outputs/answer')).body;
    expect(item.record.inputs).toEqual({ text: '{"qu', bytes: 16, isCut: true });
    expect(item.record.fields['/outputs/answer'].text).toBe('a');
  });

  test('goes to one member alone: others get the ones after it, in order, and null at the end', async () => {
    const { runId, recordIds } = await reviewed({ records: 2 });
    const [ada, bob, cyd] = (await members(3)) as [string, string, string];
    expect(await taken(ada, { runId })).toBe(recordIds[0]);
    expect(await taken(bob, { runId })).toBe(recordIds[1]);
    expect((await next(cyd, { runId })).body).toEqual({
      item: null,
      metrics: [],
      leaseUntil: null,
    });
    // The list itself shows everything as before.
    expect((await request('GET', `/review-queue?runId=${runId}`)).body.data).toHaveLength(2);
  });

  test('never goes to two of ten members who ask two processes at once', async () => {
    const replica = await start(config());
    const { runId, recordIds } = await reviewed({ records: 40 });
    const ten = await members(10);
    const path = '/review-queue/next';
    const askAt = async (at: string, member: string, after: string | undefined) => {
      const { status, body, text } = await send(`${at}${path}`, {
        method: 'POST',
        headers: sealed('POST', path, { userId: member, role: 'member' }),
        body: { projectId: projectId(), runId, ...(after ? { after } : {}) },
        raw: undefined,
      });
      expect(status, text).toBe(200);
      return body.item?.record.id as string | undefined;
    };
    const gained = await Promise.all(
      ten.map(async (member, index) => {
        const mine: string[] = [];
        for (let round = 0; round < 4; round++) {
          const at = [url(), replica.url][(index + round) % 2]!;
          const id = await askAt(at, member, mine.at(-1));
          if (id === undefined) break;
          mine.push(id);
        }
        return mine;
      }),
    );
    const all = gained.flat();
    expect(new Set(all).size).toBe(all.length);
    expect(recordIds).toEqual(expect.arrayContaining(all));
    // Whoever asks goes past what others took meanwhile: at most the end of the queue is missed.
    expect(gained.every((mine) => mine.length > 0)).toBe(true);
    await replica.stop();
  });

  test('of one record goes to one of ten members who ask at once', async () => {
    const { runId, recordIds } = await reviewed();
    const ten = await members(10);
    const got = await Promise.all(ten.map((member) => taken(member, { runId })));
    expect(got.filter((id) => id !== null)).toEqual(recordIds);
  });

  test('goes to as many members at once as are still missing, where several score each record', async () => {
    const { runId, recordIds, versionIds } = await reviewed({ metrics: [{ annotators: 3 }] });
    const [record, version] = [recordIds[0]!, versionIds[0]!];
    const [ada, bob, cyd, dan, eve] = (await members(5)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const got = await Promise.all([ada, bob, cyd, dan].map((member) => taken(member, { runId })));
    expect(got.filter((id) => id === record)).toHaveLength(3);
    const [first, second] = [ada, bob, cyd, dan].filter((_, index) => got[index] === record);
    // A score takes the place of its lease: no room for another member comes of it.
    await give(first!, record, version);
    expect(await taken(eve, { runId })).toBeNull();
    expect(await taken(first!, { runId })).toBeNull();
    await request('DELETE', `/records/${record}/scores/${version}`, undefined, asMember(first!));
    expect(await taken(eve, { runId })).toBe(record);
    expect(await taken(second!, { runId })).toBe(record);
  });

  test('is of one metric where one is named, and another member scores another metric of the record', async () => {
    const { runId, recordIds, metricIds, versionIds } = await reviewed({ metrics: [{}, {}] });
    const [ada, bob, cyd] = (await members(3)) as [string, string, string];
    const tone = await next(ada, { runId, metricId: metricIds[0] });
    expect(tone.body.metrics.map(({ id }: { id: string }) => id)).toEqual([metricIds[0]]);
    const rest = await next(bob, { runId });
    expect(rest.body.item.record.id).toBe(recordIds[0]);
    expect(rest.body.metrics.map(({ id }: { id: string }) => id)).toEqual([metricIds[1]]);
    for (const metricId of [undefined, ...metricIds])
      expect(await taken(cyd, { runId, ...(metricId && { metricId }) })).toBeNull();
    await give(ada, recordIds[0]!, versionIds[0]!);
    expect(await taken(cyd, { runId })).toBeNull();
    expect(await taken(cyd, { runId, metricId: missingId })).toBeNull();
  });

  test('of a project is of any of its runs, and what is assigned to others is left to them', async () => {
    const project = (await request('POST', '/projects', { name: 'p', description: '' })).body.id;
    const metricIds = [
      (await request('POST', `/projects/${project}/metrics`, { name: 'm', ...human })).body.id,
    ];
    const made: string[] = [];
    for (let index = 0; index < 2; index++) {
      const run = await request('POST', `/projects/${project}/runs`, { metricIds });
      made.push((await newRecord(run.body.id)).body.id);
    }
    const [ada, bob] = (await members(2)) as [string, string];
    await request('POST', `/records/${made[0]}/assignees`, { assigneeUserId: bob });
    const wish = { projectId: project };
    expect(await taken(ada, wish)).toBe(made[1]);
    expect(await taken(bob, wish)).toBe(made[0]);
    // An admin is asked for no more than a member.
    const admin = await request('POST', '/review-queue/next', wish);
    expect(admin.body.item).toBeNull();
  });

  test('comes again to the member who holds it, and with `after` the ones after it, up to ten', async () => {
    const { runId, recordIds } = await reviewed({ records: 12 });
    const [ada, bob] = (await members(2)) as [string, string];
    let after: string | undefined;
    for (const id of recordIds.slice(0, 10)) {
      after = (await taken(ada, { runId, ...(after && { after }) })) ?? undefined;
      expect(after).toBe(id);
    }
    expect(await taken(ada, { runId })).toBe(recordIds[0]);
    expect(await taken(bob, { runId })).toBe(recordIds[10]);
    // The eleventh ends the one that is oldest: the first was prolonged just now.
    expect(await taken(ada, { runId, after })).toBe(recordIds[11]);
    expect(await taken(bob, { runId })).toBe(recordIds[1]);
  });

  test('is found past thousands that others hold by reading a few records', async () => {
    const { runId, recordIds } = await reviewed({ records: 3 });
    const ada = await newMember();
    // In place of the leases of a hundred members: for records that stand before the free ones.
    const leases = database.collection<{ _id: string }>('review_leases');
    const until = new Date(Date.now() + leaseMs);
    const held = Array.from({ length: 2500 }, (_, index) => ({
      _id: `${'0'.repeat(8)}-0000-7000-8000-${String(index).padStart(12, '0')}`,
      organizationId: identity().organizationId,
      projectId: projectId(),
      runId,
      leases: [{ userId: missingId, metricVersionIds: [], until }],
      open: [],
      firstEndsAt: until,
      expiresAt: until,
    }));
    await leases.insertMany(held);
    expect(await taken(ada, { runId })).toBe(recordIds[0]);
    expect(await taken(ada, { runId, after: held.at(-1)!._id })).toBe(recordIds[0]);
    await leases.deleteMany({ runId } as never);
  });
});

describe('a lease of the review queue', () => {
  test('is prolonged by its holder, who gets the item again', async () => {
    const { runId, recordIds } = await reviewed({ records: 2 });
    const ada = await newMember();
    const first = (await next(ada, { runId })).body;
    await taken(ada, { runId, after: recordIds[0] });
    const again = (await next(ada, { runId, renew: recordIds[0] })).body;
    expect(again.item).toEqual(first.item);
    expect(Date.parse(again.leaseUntil)).toBeGreaterThan(Date.parse(first.leaseUntil));
  });

  test('is had of a named record too, also by a member who has never held it', async () => {
    const { runId, recordIds } = await reviewed({ records: 2 });
    const [ada, bob] = (await members(2)) as [string, string];
    expect((await next(ada, { runId, renew: recordIds[1] })).body.item.record.id).toBe(
      recordIds[1],
    );
    expect(await taken(bob, { runId })).toBe(recordIds[0]);
    expect(await taken(bob, { runId, after: recordIds[0] })).toBeNull();
  });

  test('that somebody else has is a 409 that names who took the record or scored it', async () => {
    const { runId, recordIds, versionIds } = await reviewed({ records: 2 });
    const [record, other] = recordIds as [string, string];
    const [ada, bob] = (await members(2)) as [string, string];
    await taken(ada, { runId });
    const refused = await next(bob, { runId, renew: record });
    expect([refused.status, refused.body]).toEqual([
      409,
      {
        code: 'CONFLICT',
        message: `${ada} took this one. Ask for the next one.`,
        details: { resource: 'record', id: record, userIds: [ada] },
      },
    ]);
    await give(bob, record, versionIds[0]!);
    const late = await next(ada, { runId, renew: record });
    expect([late.status, late.body.message]).toEqual([
      409,
      `${bob} scored this one. Ask for the next one.`,
    ]);
    const own = await next(bob, { runId, renew: record });
    expect([own.status, own.body.message]).toEqual([
      409,
      'Nothing of this record is left for you to score. Ask for the next one.',
    ]);
    await request('POST', `/records/${other}/assignees`, { assigneeUserId: ada });
    const assigned = await next(bob, { runId, renew: other });
    expect(assigned.body.message).toBe(`${ada} is assigned to this one. Ask for the next one.`);
  });

  test('lasts until all metrics asked for are scored, and a deleted score brings the record back', async () => {
    const { runId, recordIds, versionIds } = await reviewed({ metrics: [{}, {}], records: 2 });
    const [record, after] = recordIds as [string, string];
    const [ada, bob] = (await members(2)) as [string, string];
    const [one, two] = versionIds.toSorted() as [string, string];
    expect(await taken(ada, { runId })).toBe(record);
    await give(ada, record, one);
    expect(await taken(bob, { runId })).toBe(after);
    const rest = (await next(ada, { runId })).body;
    expect([rest.item.record.id, rest.item.metric.metricVersionId]).toEqual([record, two]);
    await give(ada, record, two);
    expect(await taken(ada, { runId })).toBeNull();
    await request('DELETE', `/records/${record}/scores/${one}`);
    expect(await taken(bob, { runId })).toBe(record);
  });

  test('ends by itself: the record comes back to the queue', async () => {
    const brief = await start({ ...config(), REVIEW_LEASE_MS: 300 });
    const { runId, recordIds } = await reviewed();
    const [ada, bob] = (await members(2)) as [string, string];
    const path = '/review-queue/next';
    const ask = async (member: string, wish: object) =>
      (
        await send(`${brief.url}${path}`, {
          method: 'POST',
          headers: sealed('POST', path, { userId: member, role: 'member' }),
          body: { projectId: projectId(), runId, ...wish },
          raw: undefined,
        })
      ).body;
    expect((await ask(ada, {})).item.record.id).toBe(recordIds[0]);
    const theirs = await poll(
      'the lease of another has ended',
      async () => (await ask(bob, {})).item ?? undefined,
    );
    expect(theirs.record.id).toBe(recordIds[0]);
    await poll(
      'it can be had back',
      async () => (await ask(ada, { renew: recordIds[0] })).item ?? undefined,
    );
    await brief.stop();
  });

  test('of a clock that was set back since does not last for that time', async () => {
    const { runId, recordIds } = await reviewed();
    const [ada, bob] = (await members(2)) as [string, string];
    await taken(ada, { runId });
    const later = new Date(Date.now() + 60 * 60_000);
    await database.collection<{ _id: string }>('review_leases').updateOne({ _id: recordIds[0]! }, {
      $set: { 'leases.0.until': later, firstEndsAt: later, expiresAt: later },
    } as never);
    expect(await taken(bob, { runId })).toBe(recordIds[0]);
  });

  test('is refused with the place of what is wrong', async () => {
    const { runId, recordIds } = await reviewed();
    const elsewhere = await reviewed();
    const ada = await newMember();
    const issue = async (wish: object, as = asMember(ada)) => {
      const { status, body } = await request('POST', '/review-queue/next', wish, as);
      return [status, body.details.issues?.[0].path];
    };
    const here = { projectId: projectId(), runId };
    expect(await issue({ runId })).toEqual([400, '/projectId']);
    expect(await issue({ projectId: missingId })).toEqual([400, '/projectId']);
    expect(await issue({ ...here, runId: missingId })).toEqual([400, '/runId']);
    expect(await issue({ ...here, projectId: missingId })).toEqual([400, '/runId']);
    expect(await issue({ ...here, renew: missingId })).toEqual([400, '/renew']);
    expect(await issue({ ...here, renew: elsewhere.recordIds[0] })).toEqual([400, '/renew']);
    expect(await issue({ ...here, renew: recordIds[0], after: recordIds[0] })).toEqual([
      400,
      '/after',
    ]);
    expect(await issue(here, asOther as never)).toEqual([400, '/runId']);
    expect(await issue({ projectId: projectId() }, asOther as never)).toEqual([400, '/projectId']);
  });
});
