import type { RunResults } from '@assay/contracts/results';
import { openDatabase } from '@assay/runtime/mongo/database';
import { settledMs } from '@assay/runtime/mongo/purge';
import { missingId, payloads, useRunRecords } from '@assay/testing/run-records';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createExpiry } from '../src/domain/expiry/expiry.ts';
import { createKeptRuns } from '../src/domain/expiry/kept-runs.ts';
import { createDeletion } from '../src/domain/runs/deletion.ts';
import { createStore } from '../src/store.ts';

const { config, create, getRun, identity, newRecord, request } = useRunRecords();

interface ScoredRun {
  id: string;
  metricVersionIds: string[];
}

const dayMs = 86_400_000;
const human = { evalType: 'human', outputType: 'int' };
const given = { evalType: 'heuristic', outputType: 'boolean' };

let database: Awaited<ReturnType<typeof openDatabase>>;
let projectId: string;
beforeAll(async () => {
  database = await openDatabase({
    uri: config().MONGODB_URI,
    name: `${config().DATABASE_PREFIX}_run-records`,
  });
});
afterAll(() => database.close());
beforeEach(async () => {
  projectId = (await create('/projects', { name: 'p', description: '' })).id;
});

/** The results that the real service would be asked for. */
async function runResults(runId: string): Promise<RunResults> {
  const { body } = await request('POST', '/run-summaries', { runIds: [runId] });
  const [item] = body.items;
  return { metrics: item.metrics, errors: item.errors };
}

/**
 * What a process of the service does in the background, `lateDays` from now; at `stop` it dies as if
 * by kill -9.
 */
function sweeping({
  lateDays = 0,
  days = 30,
  baselineRunIds = [] as string[],
  beforeResults = async (_runId: string) => {},
}: {
  lateDays?: number;
  days?: number | null;
  baselineRunIds?: string[];
  beforeResults?: (runId: string) => Promise<void>;
} = {}) {
  let lateMs = lateDays * dayMs;
  const now = () => new Date(Date.now() + lateMs);
  const store = createStore(database, { sweepAfterMs: 1000, announceLinks: async () => {} });
  const ask = {
    catalog: {
      runRetention: async () => ({ projects: [{ projectId, days, baselineRunIds }] }),
    },
    results: {
      forgetRun: async () => ({}),
      runResults: async (_identity: unknown, { runId }: { runId: string }) => {
        await beforeResults(runId);
        return runResults(runId);
      },
    },
  } as never;
  const keptRuns = createKeptRuns({ store, ask, now });
  const process = () =>
    createExpiry({
      store,
      ask,
      keptRuns,
      deletion: createDeletion({ store, ask, now }),
      settledMs,
      now,
    });
  const { organizationId } = identity();
  const round = async () => {
    const { work } = process();
    while (await work(organizationId));
  };
  return {
    keptRuns,
    store,
    /** Until nothing is due, at this time. */
    round,
    wait: (ms: number) => {
      lateMs += ms;
    },
    /** Closes the runs that are due, waits, and lets them expire. */
    async sweep() {
      await round();
      lateMs += settledMs + 1000;
      await round();
    },
  };
}

const newRun = (body: object = {}) =>
  create(`/projects/${projectId}/runs`, { metricIds: [], ...body });

const metricIn = async (body: object) =>
  (await create(`/projects/${projectId}/metrics`, { name: 'm', ...body })).id as string;

/** A run whose three records have a score each. */
async function scoredRun(body: object = {}) {
  const run = await newRun({ metricIds: [await metricIn(given)], name: 'Old', ...body });
  const [metricConfigId] = run.metricVersionIds;
  const ids: string[] = [];
  for (const binaryScore of [true, true, false]) {
    const record = (await newRecord(run.id, { metrics: { latencyMs: 5 } })).body;
    await request('PUT', `/records/${record.id}/scores/${metricConfigId}`, {
      score: { binaryScore },
    });
    ids.push(record.id);
  }
  return { run, ids };
}

const preview = async (days: number) =>
  (await request('GET', `/projects/${projectId}/run-retention?days=${days}`)).body;

const kept = { running: 0, baseline: 0, labelled: 0, commented: 0, annotated: 0, linked: 0 };

describe('a run that has expired', () => {
  test('keeps its own line and its results, and its records are gone', async () => {
    const { run, ids } = await scoredRun({ labels: { branch: 'main' } });
    const before = await getRun(run.id);
    const asked = { runIds: [run.id] };
    const results = (await request('POST', '/run-summaries', asked)).body;
    await sweeping({ lateDays: 31 }).sweep();
    const { expiredAt, ...after } = await getRun(run.id);
    expect(expiredAt).toEqual(expect.any(String));
    expect(after).toEqual(before);
    expect((await request('GET', `/projects/${projectId}/runs`)).body.data[0]).toEqual({
      ...before,
      expiredAt,
    });
    expect((await request('POST', '/run-summaries', asked)).body).toEqual(results);
    expect((await request('GET', `/records/${ids[0]}`)).status).toBe(404);
    for (const name of ['records', 'record_chunks', 'run_counters'])
      expect(await database.collection(name).countDocuments({ runId: run.id })).toBe(0);
  });

  test('reads as a run without records', async () => {
    const { run } = await scoredRun();
    await sweeping({ lateDays: 31 }).sweep();
    const empty = await newRun();
    for (const path of ['records', 'failures'])
      expect((await request('GET', `/runs/${run.id}/${path}`)).body).toEqual(
        (await request('GET', `/runs/${empty.id}/${path}`)).body,
      );
    const search = await request('POST', `/runs/${run.id}/records/search`, { text: 'q' });
    expect(search.body).toEqual(
      (await request('POST', `/runs/${empty.id}/records/search`, { text: 'q' })).body,
    );
    expect((await request('GET', `/runs/${run.id}/records/export`)).text).toBe('');
  });

  test('refuses whatever needs its records, and says that it expired', async () => {
    const { run } = await scoredRun();
    const other = await newRun();
    const [metricId] = run.metricIds;
    await sweeping({ lateDays: 31 }).sweep();
    const { expiredAt } = await getRun(run.id);
    const message = `The run expired on ${expiredAt.slice(0, 10)}: its records are gone, its summary remains.`;
    const refused: [string, string, object?][] = [
      ['POST', `/runs/${run.id}/records`, payloads],
      ['PATCH', `/runs/${run.id}`, { name: 'n' }],
      ['POST', `/runs/${run.id}/rescore`, {}],
      ['POST', `/runs/${run.id}/retry`],
      ['POST', `/runs/${run.id}/pause`],
      ['GET', `/runs/${run.id}/summary`],
      ['POST', '/comparisons', { baselineRunId: other.id, candidateRunId: run.id }],
      ['GET', `/metrics/${metricId}/reliability?runId=${run.id}`],
      ['POST', `/projects/${projectId}/runs/newest`, { runId: run.id }],
    ];
    for (const [method, path, body] of refused)
      expect([path, (await request(method, path, body)).body]).toEqual([
        path,
        expect.objectContaining({ code: 'CONFLICT', message }),
      ]);
  });

  test('is no baseline of its testset', async () => {
    const testset = await create(`/projects/${projectId}/testsets`, {
      name: 't',
      description: '',
      jsonSchema: {},
      fieldMapping: { inputs: [], expected: [], metadata: [] },
    });
    const run = await newRun({ testsetId: testset.id });
    await sweeping({ lateDays: 31 }).sweep();
    const { status, body } = await request('PUT', `/testsets/${testset.id}/baseline`, {
      runId: run.id,
    });
    expect([status, body.message]).toEqual([409, expect.stringContaining('The run expired on')]);
  });

  test('can be deleted', async () => {
    const { run } = await scoredRun();
    await sweeping({ lateDays: 31 }).sweep();
    expect((await request('DELETE', `/runs/${run.id}`)).status).toBe(200);
    expect((await request('GET', `/runs/${run.id}`)).status).toBe(404);
  });

  test("frees its records' share of what the organization may keep", async () => {
    const usage = async () =>
      (await sweeping().store.runs.countRecords(identity().organizationId)) as number;
    await scoredRun();
    const before = await usage();
    await sweeping({ lateDays: 31 }).sweep();
    expect(await usage()).toBe(before - 3);
  });
});

describe('a run stays whole', () => {
  const keeping: [string, object, (run: ScoredRun, ids: string[]) => Promise<unknown>][] = [
    [
      'labelled',
      {},
      async (_run, [id]) => request('POST', `/records/${id}/tags`, { text: 'look' }),
    ],
    [
      'commented',
      {},
      async (_run, [id]) => request('POST', `/records/${id}/annotations`, { comment: 'c' }),
    ],
    [
      'annotated',
      {},
      async (_run, [id]) => request('POST', `/records/${id}/annotations`, { rating: true }),
    ],
    ['linked', {}, async ({ id }) => newRecord(id, { otelLinkId: 'span' })],
  ];
  for (const [reason, body, keep] of keeping)
    test(`in which anything is ${reason}, and the dry run says why`, async () => {
      const { run, ids } = await scoredRun(body);
      await keep(run, ids);
      const sweeper = sweeping({ lateDays: 31 });
      await sweeper.sweep();
      expect((await getRun(run.id)).expiredAt).toBeUndefined();
      await ageRun(run.id, 40);
      expect(await preview(30)).toMatchObject({ runs: 0, kept: { ...kept, [reason]: 1 } });
    });

  test('in which a person has scored a record', async () => {
    const run = await newRun({ metricIds: [await metricIn(human)] });
    const record = (await newRecord(run.id)).body;
    await request('PUT', `/records/${record.id}/scores/${run.metricVersionIds[0]}`, {
      score: { intScore: 3 },
    });
    await sweeping({ lateDays: 31 }).sweep();
    expect((await getRun(run.id)).expiredAt).toBeUndefined();
    await ageRun(run.id, 40);
    expect((await preview(30)).kept).toEqual({ ...kept, labelled: 1 });
  });

  test('that is a baseline', async () => {
    const { run } = await scoredRun();
    await sweeping({ lateDays: 31, baselineRunIds: [run.id] }).sweep();
    expect((await getRun(run.id)).expiredAt).toBeUndefined();
  });

  test('while scores are still to be made', async () => {
    const run = await newRun({
      metricIds: [
        await metricIn({
          evalType: 'heuristic',
          outputType: 'boolean',
          builtin: { name: 'exact_match', options: {} },
        }),
      ],
    });
    await newRecord(run.id);
    await sweeping({ lateDays: 31 }).sweep();
    expect((await getRun(run.id)).expiredAt).toBeUndefined();
  });

  test('until so many days have passed since its last change', async () => {
    const { run } = await scoredRun();
    await sweeping({ lateDays: 29 }).sweep();
    expect((await getRun(run.id)).expiredAt).toBeUndefined();
    await ageRun(run.id, 40);
    await newRecord(run.id);
    await sweeping().sweep();
    expect((await getRun(run.id)).expiredAt).toBeUndefined();
  });

  test('in a project that keeps runs for ever', async () => {
    const { run } = await scoredRun();
    await sweeping({ lateDays: 400, days: null }).sweep();
    expect((await getRun(run.id)).expiredAt).toBeUndefined();
  });

  test('although it came with tags of its own, which are no labels', async () => {
    const run = await newRun();
    await newRecord(run.id, { tags: ['nightly'] });
    await sweeping({ lateDays: 31 }).sweep();
    expect((await getRun(run.id)).expiredAt).toEqual(expect.any(String));
  });
});

/** Makes a run as old as that, past the service. */
async function ageRun(runId: string, days: number): Promise<void> {
  const at = new Date(Date.now() - days * dayMs);
  await database
    .collection<{ _id: string }>('runs')
    .updateOne({ _id: runId }, { $set: { createdAt: at }, $unset: { changedAt: '' } });
  await database.collection('records').updateMany({ runId }, { $set: { createdAt: at } });
  await database.collection('run_counters').updateMany({ runId }, { $set: { changedAt: at } });
}

describe('a run that is used between the look and its expiry stays whole', () => {
  const uses: [string, (run: ScoredRun, ids: string[]) => Promise<{ status: number }>][] = [
    ['a record', async ({ id }) => newRecord(id)],
    ['a tag', async (_run, [id]) => request('POST', `/records/${id}/tags`, { text: 'look' })],
    [
      'an annotation',
      async (_run, [id]) => request('POST', `/records/${id}/annotations`, { comment: 'c' }),
    ],
    [
      'a score',
      async (run, [id]) =>
        request('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, {
          score: { binaryScore: true },
        }),
    ],
    ['a name', async ({ id }) => request('PATCH', `/runs/${id}`, { name: 'New' })],
  ];
  for (const [name, use] of uses)
    test(`by ${name}, also while its results are being kept`, async () => {
      const early = await scoredRun();
      const late = await scoredRun();
      const sweeper = sweeping({
        lateDays: 31,
        beforeResults: async (runId) => {
          if (runId === late.run.id)
            expect((await use(late.run, late.ids)).status).toBeLessThan(300);
        },
      });
      await sweeper.round();
      expect((await use(early.run, early.ids)).status).toBeLessThan(300);
      sweeper.wait(settledMs + 1000);
      await sweeper.round();
      for (const { run } of [early, late]) {
        expect((await getRun(run.id)).expiredAt).toBeUndefined();
        expect((await getRun(run.id)).numRecords).toBeGreaterThanOrEqual(3);
      }
    });
});

test('a run that becomes a baseline between the look and its expiry stays whole', async () => {
  const testset = await create(`/projects/${projectId}/testsets`, {
    name: 't',
    description: '',
    jsonSchema: {},
    fieldMapping: { inputs: [], expected: [], metadata: [] },
  });
  const run = await newRun({ testsetId: testset.id });
  const sweeper = sweeping({
    lateDays: 31,
    beforeResults: async (runId) => {
      const set = await request('PUT', `/testsets/${testset.id}/baseline`, { runId });
      expect(set.status).toBe(200);
    },
  });
  await sweeper.sweep();
  expect((await getRun(run.id)).expiredAt).toBeUndefined();
});

describe('whenever a process dies between two steps', () => {
  test('another one comes to the same end', async () => {
    const { run } = await scoredRun();
    const { organizationId } = identity();
    const dying = sweeping({
      lateDays: 31,
      beforeResults: async () => {
        throw new Error('killed');
      },
    });
    await dying.round();
    dying.wait(settledMs + 1000);
    await expect(dying.round()).rejects.toThrow('killed');
    expect((await getRun(run.id)).expiredAt).toBeUndefined();
    // Killed after the run became an expired one, and before any record went.
    const sweeper = sweeping({ lateDays: 31 });
    await sweeper.store.expiry.close(organizationId, run.id, new Date());
    const [closing] = await sweeper.store.expiry.listClosing(
      organizationId,
      new Date(Date.now() + 1000),
      1,
    );
    const counts = (await sweeper.store.runs.countsOf(organizationId, [run.id])).get(run.id)!;
    const results = JSON.stringify(await runResults(run.id));
    const expired = { at: new Date(), counts, results };
    expect(await sweeper.store.expiry.expire(organizationId, closing!, expired)).toBe(true);
    expect(await sweeper.store.expiry.expire(organizationId, closing!, expired)).toBe(false);
    expect((await request('GET', `/runs/${run.id}/records`)).body.data).toEqual([]);
    await sweeper.round();
    expect(await database.collection('records').countDocuments({ runId: run.id })).toBe(0);
    expect((await getRun(run.id)).numRecords).toBe(3);
  });

  test('two at once come to the same end', async () => {
    const { run } = await scoredRun();
    const results = (await request('POST', '/run-summaries', { runIds: [run.id] })).body;
    const both = [sweeping({ lateDays: 31 }), sweeping({ lateDays: 31 })];
    await Promise.all(both.map(({ sweep }) => sweep()));
    expect((await getRun(run.id)).expiredAt).toEqual(expect.any(String));
    expect((await request('POST', '/run-summaries', { runIds: [run.id] })).body).toEqual(results);
  });
});

describe('the dry run', () => {
  test('names the oldest runs that would go, and deletes nothing', async () => {
    const { run } = await scoredRun();
    await scoredRun();
    await ageRun(run.id, 40);
    const { createdAt } = await getRun(run.id);
    expect(await preview(30)).toEqual({
      days: 30,
      runs: 1,
      records: 3,
      kept,
      first: [{ id: run.id, name: 'Old', createdAt }],
      hasMore: false,
    });
    expect((await getRun(run.id)).numRecords).toBe(3);
  });

  test('is of one project, and of a number of days that a project may have', async () => {
    const at = (id: string, days: string) =>
      request('GET', `/projects/${id}/run-retention?days=${days}`);
    expect((await at(missingId, '30')).status).toBe(404);
    for (const days of ['0', '36501', '1.5', 'x'])
      expect((await at(projectId, days)).body).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { issues: [{ path: '?days' }] },
      });
  });
});
