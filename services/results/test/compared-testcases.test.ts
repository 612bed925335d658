import { useRunRecords } from '@assay/testing/run-records';
import { expect, test } from 'vitest';

const { request, newMetric, newRun, newRecord, newTestset } = useRunRecords();

interface Row {
  testcaseId: string;
  disagreement: number | null;
  runs: { value: unknown; passes: boolean | null; numRecords: number; record: { id: string } }[];
}

/** Three runs of a testset; `values` has a row a testcase, and null where a run has no record of it. */
async function threeRuns(values: (number | null)[][]) {
  const { testset, testcaseIds } = await newTestset(values.length);
  const metricId = await newMetric({
    evalType: 'heuristic',
    outputType: 'float',
    passingThreshold: 0.5,
  });
  const runs = [];
  for (const side of [0, 1, 2]) {
    const run = await newRun({ metricIds: [metricId], testsetId: testset });
    for (const [place, testcaseId] of testcaseIds.entries()) {
      const value = values[place]![side];
      if (value === null) continue;
      const { id } = (await newRecord(run.id, { testcaseId, outputs: { answer: `${side}` } })).body;
      await request('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, {
        score: { value },
      });
    }
    runs.push(run);
  }
  const [baseline, ...candidates] = runs.map(({ id }) => id) as [string, string, string];
  const list = (more = '') =>
    request(
      'GET',
      `/comparisons/testcases?baselineRunId=${baseline}&${candidates.map((id) => `candidateRunIds=${id}`).join('&')}&metricId=${metricId}${more}`,
    );
  return { baseline, candidates, metricId, testcaseIds, list };
}

test('testcases of three runs come with the value and the record of each, the most disputed first', async () => {
  const { testcaseIds, list } = await threeRuns([
    [0.9, 0.9, 0.9],
    [0.1, 0.9, 0.9],
    [0.8, null, null],
    [0.9, 0.8, 0.9],
  ]);
  const { data, nextCursor } = (await list()).body;
  expect(nextCursor).toBeNull();
  expect(data.map(({ testcaseId }: Row) => testcaseIds.indexOf(testcaseId))).toEqual([1, 3, 0, 2]);
  const [disputed, , agreed, alone] = data as Row[];
  expect(disputed!.runs).toMatchObject([
    { value: 0.1, passes: false, numRecords: 1, record: { outputs: { answer: '0' } } },
    { value: 0.9, passes: true, record: { outputs: { answer: '1' } } },
    { value: 0.9, passes: true, record: { outputs: { answer: '2' } } },
  ]);
  expect(agreed!.disagreement).toBe(0);
  expect(alone).toMatchObject({
    disagreement: null,
    runs: [{ value: 0.8 }, { value: null, passes: null, record: null, numRecords: 0 }, {}],
  });
});

test('they are sorted by the number of runs in which they fail', async () => {
  const { testcaseIds, list } = await threeRuns([
    [0.9, 0.9, 0.9],
    [0.1, 0.9, 0.1],
    [0.1, 0.1, 0.1],
    [0.9, 0.9, 0.1],
  ]);
  const { data } = (await list('&order=failures')).body;
  expect((data as Row[]).map(({ testcaseId }) => testcaseIds.indexOf(testcaseId))).toEqual([
    2, 1, 3, 0,
  ]);
});

test('they are filtered by what became of them in each run, sorted by age, and paged', async () => {
  const { baseline, candidates, testcaseIds, list } = await threeRuns([
    [0.9, 0.9, 0.1],
    [0.9, 0.1, 0.1],
    [0.1, 0.1, 0.1],
    [0.9, null, 0.2],
  ]);
  const placesOf = ({ data }: { data: Row[] }) =>
    data.map(({ testcaseId }) => testcaseIds.indexOf(testcaseId));
  const fallen = `&order=oldest&passingRunIds=${baseline}&failingRunIds=${candidates[1]}`;
  expect(placesOf((await list(fallen)).body)).toEqual([0, 1, 3]);
  expect(placesOf((await list(`${fallen}&failingRunIds=${candidates[0]}`)).body)).toEqual([1]);
  const first = (await list(`${fallen}&limit=2`)).body;
  expect(placesOf(first)).toEqual([0, 1]);
  const second = (await list(`${fallen}&limit=2&cursor=${first.nextCursor}`)).body;
  expect(placesOf(second)).toEqual([3]);
  expect(second.nextCursor).toBeNull();
  const previewed = (await list('&preview=3&limit=1')).body.data[0].runs[0].record.outputs;
  expect(previewed).toEqual({ text: '{"a', bytes: 14, isCut: true });
});

test('runs that cannot be compared are refused at their places', async () => {
  const { baseline, candidates, metricId } = await threeRuns([[0.9, 0.9, 0.9]]);
  const other = await threeRuns([[0.9, 0.9, 0.9]]);
  const issuesOf = async (query: string) =>
    (await request('GET', `/comparisons/testcases?${query}`)).body.details.issues;
  expect(
    await issuesOf(
      `baselineRunId=${baseline}&candidateRunIds=${baseline}&candidateRunIds=${other.baseline}&candidateRunIds=none&metricId=${metricId}`,
    ),
  ).toEqual([
    { path: '?candidateRunIds/0', message: 'is named twice' },
    { path: '?candidateRunIds/1', message: "is a run of another testset than the baseline's" },
    { path: '?candidateRunIds/2', message: 'does not belong to this organization' },
  ]);
  const pair = `baselineRunId=${baseline}&candidateRunIds=${candidates[0]}`;
  expect(await issuesOf(`${pair}&metricId=${other.metricId}`)).toEqual([
    { path: '?metricId', message: 'is not a metric of all of the runs' },
  ]);
  expect(await issuesOf(`${pair}&metricId=${metricId}&failingRunIds=${candidates[1]}`)).toEqual([
    { path: '?failingRunIds', message: 'names a run that is not compared' },
  ]);
  const many = Array.from({ length: 8 }, (_, place) => `candidateRunIds=${place}`).join('&');
  expect(await issuesOf(`baselineRunId=${baseline}&${many}&metricId=${metricId}`)).toMatchObject([
    { path: '?candidateRunIds' },
  ]);
});
