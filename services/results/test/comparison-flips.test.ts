import { missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { request, newMetric, newRun, newRecord, newTestset } = useRunRecords();

interface Flip {
  testcaseId: string;
  direction: string;
  baselineValue: unknown;
  candidateValue: unknown;
  baseline: { id: string };
  candidate: { id: string };
}

/** Two runs of one testset with a value of each testcase; ids of the records by run. */
async function twoRuns(outputType: string, values: [unknown, unknown][]) {
  const { testset, testcaseIds } = await newTestset(values.length);
  const metricId = await newMetric({ evalType: 'heuristic', outputType });
  const runs = [
    await newRun({ testsetId: testset, metricIds: [metricId] }),
    await newRun({ testsetId: testset, metricIds: [metricId] }),
  ];
  const put = (run: number, recordId: string, value: unknown) =>
    request('PUT', `/records/${recordId}/scores/${runs[run].metricVersionIds[0]}`, {
      score: { value },
    });
  const score = async (run: number, index: number) => {
    const { id } = (await newRecord(runs[run].id, { testcaseId: testcaseIds[index] })).body;
    const value = values[index]![run];
    if (value !== undefined) await put(run, id, value);
    return id as string;
  };
  const recordIds = await Promise.all(
    [0, 1].map((run) => Promise.all(values.map((_, index) => score(run, index)))),
  );
  const query = { baselineRunId: runs[0].id, candidateRunId: runs[1].id, metricId };
  const list = (change: object = {}) =>
    request('GET', `/comparisons/flips?${new URLSearchParams({ ...query, ...change })}`);
  /** All pages, each of two. */
  async function walk() {
    const pages: Flip[][] = [];
    let cursor: string | null = null;
    do {
      const { body } = await list({ limit: '2', ...(cursor ? { cursor } : {}) });
      pages.push(body.data);
      cursor = body.nextCursor;
      expect(body.hasMore).toBe(cursor !== null);
    } while (cursor);
    return pages;
  }
  return { metricId, testcaseIds, recordIds, runs, put, list, walk };
}

describe('the list of flips', () => {
  test('has what changed with both records and their scores, and nothing else', async () => {
    const { list, testcaseIds, recordIds, runs } = await twoRuns('boolean', [
      [true, true],
      [true, false],
      [false, true],
      [false, undefined],
    ]);
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({ nextCursor: null, hasMore: false });
    const recordOf = async (id: string) => {
      const { missingScores: _states, ...record } = (await request('GET', `/records/${id}`)).body;
      return record;
    };
    expect(body.data).toEqual([
      {
        testcaseId: testcaseIds[1],
        direction: 'regressed',
        baselineValue: true,
        candidateValue: false,
        baseline: await recordOf(recordIds[0]![1]!),
        candidate: await recordOf(recordIds[1]![1]!),
        numRecords: { baseline: 1, candidate: 1 },
      },
      {
        testcaseId: testcaseIds[2],
        direction: 'improved',
        baselineValue: false,
        candidateValue: true,
        baseline: await recordOf(recordIds[0]![2]!),
        candidate: await recordOf(recordIds[1]![2]!),
        numRecords: { baseline: 1, candidate: 1 },
      },
    ]);
    expect(body.data[0].baseline.scores).toHaveLength(1);
    const back = (await list({ baselineRunId: runs[1].id, candidateRunId: runs[0].id })).body
      .data as Flip[];
    expect(back.map(({ testcaseId, direction }) => [testcaseId, direction])).toEqual([
      [testcaseIds[1], 'improved'],
      [testcaseIds[2], 'regressed'],
    ]);
    expect((await list({ candidateRunId: runs[0].id })).body.data).toEqual([]);
  });

  test('walked page by page shows every changed testcase once, in the order of their ids', async () => {
    const { walk, testcaseIds } = await twoRuns(
      'int',
      Array.from({ length: 12 }, (_, index) => [1 + (index % 3), 1 + (index % 4)]),
    );
    const pages = await walk();
    const changed = testcaseIds.filter((_, index) => index % 3 !== index % 4);
    expect(pages.flat().map(({ testcaseId }) => testcaseId)).toEqual([...changed].sort());
    expect(pages.map((page) => page.length)).toEqual([2, 2, 2, 2, 1]);
    for (const { direction, baselineValue, candidateValue } of pages.flat())
      expect(direction).toBe(
        (candidateValue as number) > (baselineValue as number) ? 'improved' : 'regressed',
      );
  });

  test('shows a score that changed since in the next page, and a walk goes on where the last testcase no longer flips', async () => {
    const { list, put, recordIds, testcaseIds } = await twoRuns('int', [
      [1, 2],
      [1, 2],
      [1, 1],
      [1, 2],
    ]);
    const first = (await list({ limit: '2' })).body;
    expect(first.data).toHaveLength(2);
    await put(1, recordIds[1]![1]!, 1);
    await put(1, recordIds[1]![2]!, 5);
    const second = (await list({ limit: '2', cursor: first.nextCursor })).body;
    expect(
      second.data.map(({ testcaseId, candidateValue }: Flip) => [testcaseId, candidateValue]),
    ).toEqual([
      [testcaseIds[2], 5],
      [testcaseIds[3], 2],
    ]);
    await request('DELETE', `/records/${recordIds[1]![3]}`);
    expect((await list()).body.data.map(({ testcaseId }: Flip) => testcaseId)).toEqual([
      testcaseIds[0],
      testcaseIds[2],
    ]);
  });

  test('is refused where a run or the metric is not there, or the cursor is of another list', async () => {
    const { list, runs } = await twoRuns('int', [
      [1, 2],
      [1, 2],
    ]);
    const pathsOf = async (change: object) => {
      const { status, body } = await list(change);
      return [status, ...body.details.issues.map(({ path }: { path: string }) => path)];
    };
    expect(await pathsOf({ baselineRunId: missingId })).toEqual([400, '?baselineRunId']);
    expect(await pathsOf({ candidateRunId: missingId })).toEqual([400, '?candidateRunId']);
    expect(await pathsOf({ candidateRunId: (await newRun()).id })).toEqual([
      400,
      '?candidateRunId',
    ]);
    expect(await pathsOf({ metricId: missingId })).toEqual([400, '?metricId']);
    expect((await request('GET', `/comparisons/flips?baselineRunId=${runs[0].id}`)).status).toBe(
      400,
    );
    const { nextCursor } = (await list({ limit: '1' })).body;
    expect(
      await pathsOf({ baselineRunId: runs[1].id, candidateRunId: runs[0].id, cursor: nextCursor }),
    ).toEqual([400, '?cursor']);
  });
});
