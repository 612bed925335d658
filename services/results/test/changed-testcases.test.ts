import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { request, newMetric, newRun, newRecord, newTestset } = useRunRecords();

interface Content {
  inputs: unknown;
  expected: unknown;
}

/** Compares two runs that have one record of each of these testcases. */
async function compare(pairs: { baseline: Content; candidate: Content }[]) {
  const { testset, testcaseIds } = await newTestset(0);
  for (let from = 0; from < pairs.length; from += 100) {
    const items = pairs.slice(from, from + 100).map(() => ({ jsonData: {} }));
    const { body } = await request('POST', `/testsets/${testset}/testcases`, { items });
    testcaseIds.push(...body.items.map(({ id }: { id: string }) => id));
  }
  const metricIds = [
    await newMetric({
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    }),
  ];
  const runs = [
    await newRun({ testsetId: testset, metricIds }),
    await newRun({ testsetId: testset, metricIds }),
  ];
  for (const [place, side] of (['baseline', 'candidate'] as const).entries())
    for (const [index, pair] of pairs.entries())
      await newRecord(runs[place].id, {
        testcaseId: testcaseIds[index],
        outputs: { response: 'A' },
        ...pair[side],
      });
  const { status, body } = await request('POST', '/comparisons', {
    baselineRunId: runs[0].id,
    candidateRunId: runs[1].id,
  });
  expect(status).toBe(200);
  return { warnings: body.warnings, testcaseIds, runs };
}

const same = { inputs: { question: 'Why?' }, expected: { idealAnswer: 'A' } };
const unchanged = { baseline: same, candidate: same };

describe('a comparison', () => {
  test('warns of testcases whose inputs or expected differ between the runs, and says of which', async () => {
    const { warnings, testcaseIds } = await compare([
      unchanged,
      { baseline: same, candidate: { ...same, inputs: { question: 'How?' } } },
      { baseline: same, candidate: { ...same, expected: { idealAnswer: 'B' } } },
      {
        baseline: same,
        candidate: { inputs: { question: 'Who?' }, expected: { idealAnswer: 'C' } },
      },
    ]);
    expect(warnings).toEqual([
      {
        code: 'testcases_differ',
        message:
          '3 of 4 testcases were changed between the runs (the inputs of 2, what is expected of 2): a difference may be theirs.',
        details: {
          testcases: 4,
          inputs: 2,
          expected: 2,
          examples: expect.toSatisfy((ids: string[]) =>
            testcaseIds.slice(1).every((id) => ids.includes(id)),
          ),
        },
      },
    ]);
  });

  test('goes by the latest record of a testcase', async () => {
    const { testset, testcaseIds } = await newTestset(1);
    const metricIds = [await newMetric({ evalType: 'heuristic', outputType: 'boolean' })];
    const runs = [
      await newRun({ testsetId: testset, metricIds }),
      await newRun({ testsetId: testset, metricIds }),
    ];
    const add = (run: { id: string }, question: string) =>
      newRecord(run.id, { testcaseId: testcaseIds[0], inputs: { question }, expected: {} });
    const warningsNow = async () =>
      (
        await request('POST', '/comparisons', {
          baselineRunId: runs[0].id,
          candidateRunId: runs[1].id,
        })
      ).body.warnings;
    await add(runs[0], 'Why?');
    await add(runs[1], 'How?');
    expect((await warningsNow())[0].message).toBe(
      '1 of 1 testcases was changed between the runs (their inputs): a difference may be theirs.',
    );
    await add(runs[1], 'Why?');
    expect(await warningsNow()).toBeUndefined();
  });

  test('takes the same values in another order of keys for the same testcase', async () => {
    const { warnings } = await compare([
      {
        baseline: { inputs: { a: 1, b: [1, 2] }, expected: {} },
        candidate: { inputs: { b: [1, 2], a: 1.0 }, expected: {} },
      },
    ]);
    expect(warnings).toBeUndefined();
  });

  test('reads of many changed testcases a few, and says that there are at least as many', async () => {
    const { warnings } = await compare(
      Array.from({ length: 210 }, () => ({
        baseline: same,
        candidate: { ...same, inputs: { question: 'How?' } },
      })),
    );
    expect(warnings[0].message).toMatch(/^At least 200 of 210 testcases were changed/);
    expect(warnings[0].details.examples).toHaveLength(5);
  });
});
