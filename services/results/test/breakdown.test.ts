import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { create, request, newMetric, newRun, newRecord, projectId } = useRunRecords();

interface Case {
  topic?: unknown;
  /** Of the testcase. */
  level?: string;
  tags?: string[];
  /** Whether the baseline and the candidate pass. */
  passes: [boolean, boolean];
}

/** Two runs over these testcases, with a boolean metric. */
async function twoRuns(cases: Case[]) {
  const fieldMapping = { inputs: ['question'], expected: [], metadata: [] };
  const body = { name: 't', description: '', jsonSchema: {}, fieldMapping };
  const testset = (await create(`/projects/${projectId()}/testsets`, body)).id as string;
  const items = cases.map(({ level }) => ({
    jsonData: { question: 'q', ...(level && { level }) },
  }));
  const testcases = (await create(`/testsets/${testset}/testcases`, { items })).items as {
    id: string;
  }[];
  const metricIds = [await newMetric({ evalType: 'heuristic', outputType: 'boolean' })];
  const runs = [];
  for (const side of [0, 1] as const) {
    const run = await newRun({ metricIds, testsetId: testset });
    for (const [place, { topic, tags = [], passes }] of cases.entries()) {
      const inputs = topic === undefined ? {} : { topic };
      const { id } = (await newRecord(run.id, { testcaseId: testcases[place]!.id, inputs })).body;
      const score = { score: { value: passes[side] } };
      await request('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, score);
      // Tags of the candidate alone count as well.
      for (const text of side === 1 ? tags : [])
        await request('POST', `/records/${id}/tags`, { text });
    }
    runs.push(run);
  }
  const [baseline, candidate] = runs as [(typeof runs)[0], (typeof runs)[0]];
  return {
    candidate,
    compare: async (breakdownBy: string) =>
      (
        await request('POST', '/comparisons', {
          baselineRunId: baseline.id,
          candidateRunId: candidate.id,
          breakdownBy,
        })
      ).body,
    summarize: async (breakdownBy: string) =>
      (
        await request(
          'GET',
          `/runs/${candidate.id}/summary?breakdownBy=${encodeURIComponent(breakdownBy)}`,
        )
      ).body,
  };
}

const many = (count: number, one: Case): Case[] => Array.from({ length: count }, () => one);

describe('a comparison that is broken down', () => {
  test('has a row a value, the largest first, corrected over all of them, and those without one last', async () => {
    const { compare } = await twoRuns([
      ...many(8, { topic: 'rise', passes: [false, true] }),
      ...many(3, { topic: 1, passes: [true, true] }),
      ...many(2, { topic: '1', passes: [true, false] }),
      ...many(4, { passes: [true, true] }),
    ]);
    const { breakdown, metrics } = await compare('/topic');
    expect(breakdown).toMatchObject({ by: '/inputs/topic', other: { values: 0, testcases: 0 } });
    expect(
      breakdown.rows.map(({ value, testcases }: { value: string; testcases: number }) => [
        value,
        testcases,
      ]),
    ).toEqual([
      ['"rise"', 8],
      ['1', 3],
      ['"1"', 2],
      [null, 4],
    ]);
    const [rise] = breakdown.rows[0].metrics;
    expect(rise).toMatchObject({
      metricId: metrics[0].metricId,
      paired: 8,
      baselineMean: 0,
      candidateMean: 1,
      difference: 1,
      improved: 8,
      regressed: 0,
      verdict: 'better',
    });
    // Eight changes of eight, mid-p, as one of the four rows that are tested.
    expect(rise.pValue).toBeCloseTo(2 ** -8, 10);
    expect(rise.adjustedPValue).toBeCloseTo(4 * 2 ** -8, 10);
    expect(rise.confidenceInterval.low).toBeGreaterThan(0);
  });

  test('puts a testcase under each tag of its records in either run', async () => {
    const { compare } = await twoRuns([
      { tags: ['slow', 'long'], passes: [true, false] },
      { tags: ['slow'], passes: [true, true] },
      { passes: [false, true] },
    ]);
    const { breakdown } = await compare('tags');
    expect(breakdown).toMatchObject({
      by: 'tags',
      rows: [
        { value: '"slow"', testcases: 2, metrics: [{ paired: 2, difference: -0.5 }] },
        { value: '"long"', testcases: 1, metrics: [{ paired: 1, difference: -1 }] },
        { value: null, testcases: 1, metrics: [{ difference: 1 }] },
      ],
    });
  });

  test('finds values in the metadata of testcases, and refuses a field that nothing has', async () => {
    const { compare } = await twoRuns([
      { level: 'easy', passes: [true, true] },
      { level: 'hard', passes: [true, true] },
      { level: 'hard', passes: [true, true] },
    ]);
    expect((await compare('/metadata/level')).breakdown).toMatchObject({
      by: '/metadata/level',
      rows: [{ value: '"hard"' }, { value: '"easy"' }],
    });
    expect(await compare('/inputs/level')).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: {
        issues: [
          {
            path: '/breakdownBy',
            message: 'finds nothing in the inputs of any testcase that both runs have',
          },
        ],
      },
    });
    expect((await compare('level')).details.issues[0].message).toMatch(/^is no JSON Pointer/);
  });

  test('shows the hundred largest values, counts the others, and names long ones by their hash', async () => {
    const hundred = Array.from({ length: 100 }, (_, place) => `a${place}`);
    const { compare } = await twoRuns([
      { topic: 'x'.repeat(300), tags: hundred, passes: [true, true] },
      { topic: 'y', tags: ['z1', 'z2'], passes: [true, true] },
    ]);
    const { breakdown } = await compare('tags');
    expect(breakdown.rows).toHaveLength(100);
    expect(breakdown.other).toEqual({ values: 2, testcases: 1 });
    const byTopic = (await compare('/inputs/topic')).breakdown;
    expect(byTopic.rows.map(({ value }: { value: string }) => value)).toEqual([
      '"y"',
      expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    ]);
  });
});

describe('a summary that is broken down', () => {
  test('has the pass rate with its interval for each value of the records', async () => {
    const { summarize } = await twoRuns([
      ...many(3, { topic: 'a', passes: [true, true] }),
      ...many(2, { topic: 'b', passes: [true, false] }),
      { passes: [true, false] },
    ]);
    const { breakdown, metrics } = await summarize('/inputs/topic');
    expect(metrics[0].mean).toBe(0.5);
    expect(breakdown).toMatchObject({
      by: '/inputs/topic',
      rows: [
        {
          value: '"a"',
          records: 3,
          metrics: [{ count: 3, passRate: 1, confidenceInterval: { high: 1, level: 0.95 } }],
        },
        { value: '"b"', records: 2, metrics: [{ count: 2, mean: 0, passRate: 0 }] },
        { value: null, records: 1, metrics: [{ count: 1 }] },
      ],
      other: { values: 0, records: 0 },
    });
  });

  test('follows tags and metadata that change while the run does not', async () => {
    const { summarize, candidate } = await twoRuns([
      { level: 'easy', tags: ['odd'], passes: [true, true] },
      { level: 'easy', passes: [true, false] },
    ]);
    const valuesOf = async (by: string) =>
      (await summarize(by)).breakdown.rows.map(
        ({ value, records }: { value: string; records: number }) => [value, records],
      );
    expect(await valuesOf('tags')).toEqual([
      ['"odd"', 1],
      [null, 1],
    ]);
    const { data } = (await request('GET', `/runs/${candidate.id}/records`)).body;
    for (const { id } of data) await request('POST', `/records/${id}/tags`, { text: 'odd' });
    expect(await valuesOf('tags')).toEqual([['"odd"', 2]]);
    expect(await valuesOf('/metadata/level')).toEqual([['"easy"', 2]]);
    await request('PUT', `/testcases/${data[0].testcaseId}`, {
      jsonData: { question: 'q', level: 'hard' },
    });
    expect(await valuesOf('/metadata/level')).toEqual([
      ['"easy"', 1],
      ['"hard"', 1],
    ]);
  });
});
