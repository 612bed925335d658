import { profileCommands } from '@assay/testing/profiled-commands';
import { missingId, useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

// Nobody but the tests reads runs: readings are counted.
const { config, newMetric, newRecord, newRun, request } = useRunRecords({
  config: { RESULTS_QUIET_MS: 3_600_000 },
});

const summariesOf = (runIds: unknown, options = {}) =>
  request('POST', '/run-summaries', { runIds }, options);

const scoredByClients = { evalType: 'heuristic', outputType: 'boolean' };

async function addScored(run: { id: string; metricVersionIds: string[] }, value: boolean) {
  const { id } = (await newRecord(run.id)).body;
  const path = `/records/${id}/scores/${run.metricVersionIds[0]}`;
  const put = (value: boolean) => request('PUT', path, { score: { value } });
  expect((await put(value)).status).toBe(200);
  return { recordId: id as string, put };
}

async function scoredRun(values: boolean[]) {
  const run = await newRun({ metricIds: [await newMetric(scoredByClients)] });
  for (const value of values) await addScored(run, value);
  return run;
}

/** How often the records of these runs have been read since the beginning. */
async function countReadings(runIds: string[], work: () => Promise<unknown>): Promise<number> {
  const { MONGODB_URI, DATABASE_PREFIX } = config();
  const profiled = await profileCommands(MONGODB_URI, DATABASE_PREFIX);
  await work();
  const found = (await profiled()).filter(
    ({ service, collection, command }) =>
      service === 'run-records' &&
      collection === 'records' &&
      runIds.includes((command as { filter?: { runId?: string } }).filter?.runId ?? ''),
  );
  return found.length;
}

test('the summaries of runs have the figures of each run alone, in the order asked, repeats too', async () => {
  const runs = [await scoredRun([true, true, false]), await newRun(), await scoredRun([])];
  const runIds = [runs[2].id, runs[0].id, runs[1].id, runs[0].id];
  const { status, body } = await summariesOf(runIds);
  expect(status).toBe(200);
  expect(body.items.map(({ runId }: { runId: string }) => runId)).toEqual(runIds);
  const alone = (await request('GET', `/runs/${runs[0].id}/summary`)).body.metrics[0];
  expect(body.items[1].metrics).toEqual([
    {
      metricId: runs[0].metricIds[0],
      metricVersionId: runs[0].metricVersionIds[0],
      name: 'm',
      outputType: 'boolean',
      count: 3,
      records: 3,
      failed: 0,
      errored: 0,
      invalid: 0,
      notApplicable: 0,
      passRate: 2 / 3,
      mean: 2 / 3,
      confidenceInterval: alone.confidenceInterval,
    },
  ]);
  expect(body.items[3]).toEqual(body.items[1]);
  expect(body.items[2].metrics).toEqual([]);
  expect(body.items[0].metrics).toMatchObject([
    { count: 0, passRate: null, mean: null, confidenceInterval: null },
  ]);
});

test('a run is read anew only if it has changed, and once for all that ask at the same time', async () => {
  const [changed, other] = [await scoredRun([true]), await scoredRun([false])];
  const runIds = [changed.id, other.id];
  const passRates = async () =>
    (await summariesOf(runIds)).body.items.map(
      ({ metrics }: { metrics: { passRate: number }[] }) => metrics[0]!.passRate,
    );
  const isNow = (expected: number[]) => async () => expect(await passRates()).toEqual(expected);
  const readingsDuring = (work: () => Promise<unknown>) => countReadings(runIds, work);
  const atFirst = isNow([1, 0]);
  expect(await readingsDuring(() => Promise.all([atFirst(), atFirst(), atFirst()]))).toBe(2);
  expect(await readingsDuring(atFirst)).toBe(2);
  const { put } = await addScored(changed, false);
  expect(await readingsDuring(isNow([0.5, 0]))).toBe(3);
  await put(true);
  expect(await readingsDuring(isNow([1, 0]))).toBe(4);
  expect(await readingsDuring(isNow([1, 0]))).toBe(4);
});

test('a metric version that joins a run is in its next summary', async () => {
  const builtin = { name: 'exact_match', options: {} };
  const metricId = await newMetric({ ...scoredByClients, builtin });
  const run = await newRun({ metricIds: [metricId] });
  expect((await summariesOf([run.id])).body.items[0].metrics).toHaveLength(1);
  const change = { builtin: { ...builtin, options: { trim: true } } };
  await request('PATCH', `/metrics/${metricId}`, { ...scoredByClients, ...change });
  await request('POST', `/runs/${run.id}/rescore`, {});
  expect((await summariesOf([run.id])).body.items[0].metrics).toHaveLength(2);
});

test("runs that are not there, were deleted, or are another organization's are refused with their places", async () => {
  const [run, deleted] = [await scoredRun([true]), await scoredRun([true])];
  expect((await summariesOf([run.id, deleted.id])).status).toBe(200);
  await request('DELETE', `/runs/${deleted.id}`);
  const message = 'does not belong to this organization';
  const refused = await summariesOf([run.id, deleted.id, missingId, 'x']);
  expect([refused.status, refused.body.details.issues]).toEqual([
    400,
    ['/runIds/1', '/runIds/2', '/runIds/3'].map((path) => ({ path, message })),
  ]);
  const foreign = await summariesOf([run.id], { identity: { organizationId: missingId } });
  expect([foreign.status, foreign.body.details.issues]).toEqual([
    400,
    [{ path: '/runIds/0', message }],
  ]);
});

test('one to a hundred runs may be named', async () => {
  const { id } = await newRun();
  expect((await summariesOf(Array(100).fill(id))).body.items).toHaveLength(100);
  for (const runIds of [[], Array(101).fill(id), [1], id])
    expect((await summariesOf(runIds)).status).toBe(400);
});

test('a repeat of an Idempotency-Key gets the first answer', async () => {
  const run = await scoredRun([true]);
  const headers = { 'idempotency-key': 'summaries' };
  const first = await summariesOf([run.id], { headers });
  await addScored(run, false);
  const repeated = await summariesOf([run.id], { headers });
  expect(repeated.body).toEqual(first.body);
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect((await summariesOf([run.id])).body).not.toEqual(first.body);
  expect((await summariesOf([run.id, run.id], { headers })).status).toBe(409);
});
