import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { request, newMetric, newRun, newRecord, newTestset } = useRunRecords();

interface Pair {
  testcaseId: string;
  baselineValue: boolean | number | null;
  candidateValue: boolean | number | null;
  baseline: { id: string } | null;
  candidate: { id: string } | null;
}

const missing = undefined;
type Values = [baseline: boolean | number | undefined, candidate: boolean | number | undefined][];

/** Two runs of one testset with these values of each testcase. */
async function twoRuns(outputType: string, values: Values) {
  const { testset, testcaseIds } = await newTestset(values.length);
  const metricId = await newMetric({ evalType: 'heuristic', outputType });
  const newSide = () => newRun({ testsetId: testset, metricIds: [metricId] });
  const runs = [await newSide(), await newSide()];
  for (const [index, sides] of values.entries())
    for (const [side, value] of sides.entries()) {
      if (value === undefined) continue;
      const run = runs[side]!;
      const { id } = (await newRecord(run.id, { testcaseId: testcaseIds[index] })).body;
      const [metricVersionId] = run.metricVersionIds;
      await request('PUT', `/records/${id}/scores/${metricVersionId}`, { score: { value } });
    }
  const query = { baselineRunId: runs[0].id, candidateRunId: runs[1].id, metricId };
  const list = (change: object = {}) =>
    request('GET', `/comparisons/pairs?${new URLSearchParams({ ...query, ...change })}`);
  /** The numbers of the testcases in all pages, each of two. */
  async function walk(change: object): Promise<number[]> {
    const found: number[] = [];
    let cursor: string | null = null;
    do {
      const { status, body } = await list({ limit: '2', ...(cursor ? { cursor } : {}), ...change });
      expect(status).toBe(200);
      found.push(
        ...body.data.map(({ testcaseId }: Pair) => (testcaseIds as string[]).indexOf(testcaseId)),
      );
      cursor = body.nextCursor;
    } while (cursor);
    return found;
  }
  const { baselineRunId, candidateRunId } = query;
  const compare = async () =>
    (await request('POST', '/comparisons', { baselineRunId, candidateRunId })).body.metrics[0];
  return { list, walk, compare };
}

describe('the pairs of a comparison', () => {
  test('of booleans are of one group each, and the counts of a comparison are those of the lists', async () => {
    const { walk, compare } = await twoRuns('boolean', [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
      [true, missing],
      [missing, false],
      [missing, missing],
      [true, false],
    ]);
    const members = {
      regressed: [1, 7],
      improved: [2],
      changed: [1, 2, 7],
      bothPass: [0],
      bothFail: [3],
      unpairedBaseline: [4],
      unpairedCandidate: [5],
    };
    for (const [show, expected] of Object.entries(members)) {
      expect([show, await walk({ show, order: 'oldest' })]).toEqual([show, expected]);
      expect([show, await walk({ show, order: 'largest' })]).toEqual([show, expected]);
    }
    const { groups, improved, regressed, paired } = await compare();
    expect(groups).toEqual(
      Object.fromEntries(Object.entries(members).map(([name, { length }]) => [name, length])),
    );
    expect([improved, regressed, paired]).toEqual([1, 2, 5]);
  });

  test('of numbers pass by the threshold of the metric, and the largest change comes first', async () => {
    const { walk, compare } = await twoRuns('int', [
      [5, 4],
      [1, 5],
      [3, 1],
      [4, 4],
      [1, 2],
      [5, 1],
    ]);
    expect(await walk({ show: 'changed' })).toEqual([1, 5, 2, 0, 4]);
    expect(await walk({ show: 'regressed' })).toEqual([5, 2, 0]);
    expect(await walk({ show: 'improved' })).toEqual([1, 4]);
    expect(await walk({ show: 'bothPass' })).toEqual([0, 3]);
    expect(await walk({ show: 'bothFail' })).toEqual([2, 4]);
    expect((await compare()).groups).toMatchObject({ bothPass: 2, bothFail: 2, changed: 5 });
  });

  test('have both records and values, and null where a run has none', async () => {
    const { list } = await twoRuns('boolean', [
      [true, false],
      [true, missing],
    ]);
    const [changed] = (await list()).body.data as Pair[];
    expect([changed!.baselineValue, changed!.candidateValue]).toEqual([true, false]);
    for (const side of ['baseline', 'candidate'] as const)
      expect((await request('GET', `/records/${changed![side]!.id}`)).body).toMatchObject(
        changed![side]!,
      );
    const [alone] = (await list({ show: 'unpairedBaseline', preview: '3' })).body.data;
    expect(alone).toMatchObject({ baselineValue: true, candidateValue: null, candidate: null });
    expect(alone.baseline.inputs.text.length).toBeLessThanOrEqual(3);
  });

  test('refuse what is no group and no order, and a cursor of another group', async () => {
    const { list } = await twoRuns('int', [
      [1, 2],
      [1, 2],
    ]);
    const placesOf = async (change: object) => {
      const { status, body } = await list(change);
      return [status, ...body.details.issues.map(({ path }: { path: string }) => path)];
    };
    expect(await placesOf({ show: 'all' })).toEqual([400, '?show']);
    expect(await placesOf({ order: 'newest' })).toEqual([400, '?order']);
    const { nextCursor } = (await list({ limit: '1' })).body;
    expect(await placesOf({ limit: '1', show: 'improved', cursor: nextCursor })).toEqual([
      400,
      '?cursor',
    ]);
  });
});
