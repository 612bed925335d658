import { missingId, useRunRecords } from '@assay/testing/run-records';
import { beforeAll, expect, test } from 'vitest';

const { newMetric, newRecord, newRun, newTestset, request } = useRunRecords();

let metricIds: string[];
beforeAll(async () => {
  metricIds = [await newMetric({ evalType: 'heuristic', outputType: 'boolean' })];
});

/** A testset and two runs of it; its testcase has `false` in the first and `true` in the second. */
async function testsetWithRuns() {
  const { testset, testcaseIds } = await newTestset(1);
  const runIds: string[] = [];
  for (const value of [false, true]) {
    const run = await newRun({ testsetId: testset, metricIds });
    const { id } = (await newRecord(run.id, { testcaseId: testcaseIds[0] })).body;
    const path = `/records/${id}/scores/${run.metricVersionIds[0]}`;
    expect((await request('PUT', path, { score: { value } })).status).toBe(200);
    runIds.push(run.id);
  }
  return { testset, before: runIds[0]!, after: runIds[1]! };
}

const setBaseline = (testset: string, runId: unknown, options = {}) =>
  request('PUT', `/testsets/${testset}/baseline`, { runId }, options);
const baselineOf = async (testset: string) =>
  (await request('GET', `/testsets/${testset}`)).body.baselineRunId;

const compare = (body: object) => request('POST', '/comparisons', body);
const flips = (query: Record<string, string>) =>
  request(
    'GET',
    `/comparisons/flips?${new URLSearchParams({ metricId: metricIds[0]!, ...query })}`,
  );
const issuesOf = ({ status, body }: Awaited<ReturnType<typeof request>>) => [
  status,
  body.details.issues,
];

test('a testset has no baseline until a run of it is set, keeps it when it changes, and loses it by null', async () => {
  const { testset, before, after } = await testsetWithRuns();
  expect(await baselineOf(testset)).toBeNull();
  const set = await setBaseline(testset, before);
  expect([set.status, set.body]).toEqual([
    200,
    (await request('GET', `/testsets/${testset}`)).body,
  ]);
  expect(set.body).toMatchObject({ id: testset, baselineRunId: before });
  expect((await setBaseline(testset, after)).body.baselineRunId).toBe(after);
  const renamed = await request('PATCH', `/testsets/${testset}`, { name: 'Renamed' });
  expect(renamed.body).toMatchObject({ name: 'Renamed', baselineRunId: after });
  const copy = await request('POST', `/testsets/${testset}/duplicate`, {});
  expect([copy.status, copy.body.baselineRunId]).toEqual([201, null]);
  expect((await setBaseline(testset, null)).body.baselineRunId).toBeNull();
  expect(await baselineOf(testset)).toBeNull();
});

test('a baseline must be a run of the testset', async () => {
  const { testset, before } = await testsetWithRuns();
  const other = await testsetWithRuns();
  const plain = await newRun();
  const deleted = await newRun({ testsetId: testset });
  await request('DELETE', `/runs/${deleted.id}`);
  await setBaseline(testset, before);
  const [isNone, isOthers] = [
    'does not belong to this organization',
    'is not a run of this testset',
  ];
  for (const [runId, message] of [
    [missingId, isNone],
    ['x', isNone],
    [deleted.id, isNone],
    [other.before, isOthers],
    [plain.id, isOthers],
  ])
    expect(issuesOf(await setBaseline(testset, runId)), message).toEqual([
      400,
      [{ path: '/runId', message }],
    ]);
  expect((await setBaseline(testset, undefined)).status).toBe(400);
  expect(await baselineOf(testset)).toBe(before);
});

test("another organization's testset and run answer as ones that do not exist", async () => {
  const { testset, before } = await testsetWithRuns();
  const as = { identity: { organizationId: missingId } };
  const foreign = await setBaseline(testset, before, as);
  const absent = await setBaseline(missingId, before, as);
  expect([foreign.status, foreign.body.code]).toEqual([404, 'NOT_FOUND']);
  expect(foreign.text).toBe(absent.text.replace(missingId, testset));
  expect(await baselineOf(testset)).toBeNull();

  const body = { name: 'theirs', description: '' };
  const project = (await request('POST', '/projects', body, as)).body.id;
  const fieldMapping = { inputs: [], expected: [], metadata: [] };
  const path = `/projects/${project}/testsets`;
  const own = (await request('POST', path, { ...body, jsonSchema: {}, fieldMapping }, as)).body.id;
  const message = 'does not belong to this organization';
  expect(issuesOf(await setBaseline(own, before, as))).toEqual([
    400,
    [{ path: '/runId', message }],
  ]);
});

test("a comparison and its flips that name no baseline take the one of the candidate's testset", async () => {
  const { testset, before, after } = await testsetWithRuns();
  await setBaseline(testset, before);
  const named = await compare({ baselineRunId: before, candidateRunId: after });
  const { status, body } = await compare({ candidateRunId: after });
  expect(status).toBe(200);
  expect(body).toEqual(named.body);
  expect(body).toMatchObject({ baselineRunId: before, metrics: [{ paired: 1, improved: 1 }] });
  const listed = await flips({ candidateRunId: after });
  expect(listed.body.data).toMatchObject([
    { direction: 'improved', baseline: { runId: before }, candidate: { runId: after } },
  ]);
  await setBaseline(testset, after);
  expect((await compare({ candidateRunId: after })).body.baselineRunId).toBe(after);
  expect((await compare({ baselineRunId: before, candidateRunId: after })).body).toEqual(
    named.body,
  );
});

test('without a baseline, a comparison that names none is told how to set one', async () => {
  const { testset, before, after } = await testsetWithRuns();
  const refused = async (message: string, candidateRunId = after, name = 'baselineRunId') => {
    expect(issuesOf(await compare({ candidateRunId }))).toEqual([
      400,
      [{ path: `/${name}`, message }],
    ]);
    expect(issuesOf(await flips({ candidateRunId }))).toEqual([
      400,
      [{ path: `?${name}`, message }],
    ]);
  };
  const operation = `PUT /testsets/${testset}/baseline`;
  await refused(
    `is required, because the candidate's testset has no baseline: ${operation} sets one`,
  );
  await refused(
    'is required, because the candidate is a run without a testset',
    (await newRun()).id,
  );
  await refused('does not belong to this organization', missingId, 'candidateRunId');

  await setBaseline(testset, before);
  await request('DELETE', `/runs/${before}`);
  expect(await baselineOf(testset)).toBe(before);
  await refused(
    `is required, because the baseline of the candidate's testset, the run ${before}, was deleted: ${operation} sets another one`,
  );

  await request('DELETE', `/testsets/${testset}`);
  await refused("is required, because the candidate's testset was deleted");
});
