import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { useJudgedRuns } from './judged-runs.ts';

const world = useRunRecords();
const { request } = world;
const { newJudge, newJudgedRun, say, label } = useJudgedRuns(world);

type Value = boolean | number;

const times = <Item>(count: number, item: Item): Item[] =>
  Array.from({ length: count }, () => item);

/** The warning of two runs, of which the judge and people gave these values. */
async function warningOf(
  outputType: string,
  sides: { judge: Value[]; people: Value[] }[],
  level = 0.95,
) {
  const judge = await newJudge(outputType);
  const runs = [];
  for (const side of sides) {
    const run = await newJudgedRun({ judge, records: side.judge.length });
    await say(run, side.judge);
    await label(run, side.people);
    runs.push(run);
  }
  const body = { baselineRunId: runs[0]!.id, candidateRunId: runs[1]!.id, level };
  const { warnings } = (await request('POST', '/comparisons', body)).body.metrics[0];
  return warnings?.find(({ code }: { code: string }) => code === 'judge_errors_differ');
}

describe('a comparison whose judge errs more in one of the runs', () => {
  const strict = {
    judge: [...times(20, true), ...times(18, false), ...times(2, true)],
    people: [...times(20, true), ...times(20, false)],
  };
  const mild = { ...strict, judge: [...times(20, true), ...times(8, false), ...times(12, true)] };

  test('warns that the judge fails less of what people fail, by the scores that people overrode', async () => {
    expect(await warningOf('boolean', [strict, mild])).toEqual({
      code: 'judge_errors_differ',
      message:
        "Of what people fail, the judge fails 90 % (18 of 20) in the baseline run, and 40 % (8 of 20) in the candidate run. It is kinder to one of them, so a difference may be the judge's.",
      details: {
        error: 'specificity',
        test: "Fisher's mid-p",
        baseline: 0.9,
        candidate: 0.4,
        baselineLabels: 20,
        candidateLabels: 20,
        // 2 * (fisher_exact([[18, 2], [8, 12]]).pvalue - hypergeom.pmf(18, 40, 26, 20) / 2)
        pValue: expect.closeTo(0.0033679396860709426, 10),
      },
    });
  });

  test('is not warned of errors that chance explains at its level, or where a run has no labels', async () => {
    expect(await warningOf('boolean', [strict, strict])).toBeUndefined();
    expect(await warningOf('boolean', [strict, mild], 0.999)).toBeUndefined();
    expect(await warningOf('boolean', [strict, { ...mild, people: [] }])).toBeUndefined();
  });

  test('warns of numbers that the judge gives more freely', async () => {
    const fair = { judge: [3, 4, 2, 5, 3, 4], people: [3, 4, 3, 5, 3, 3] };
    const kind = { judge: [5, 5, 4, 5, 4, 5], people: [3, 4, 3, 3, 3, 3] };
    expect(await warningOf('int', [fair, kind])).toMatchObject({
      message: expect.stringContaining(
        'The judge gives 0.00 more than people in the baseline run, and 1.50 more in the candidate run.',
      ),
      details: {
        error: 'meanError',
        test: 'Welch',
        baselineLabels: 6,
        // 2 * t.sf(ttest_ind([0, 0, -1, 0, 0, 1], [2, 1, 1, 2, 1, 2], equal_var=False).statistic, 9)
        pValue: expect.closeTo(0.0017416242281296434, 10),
      },
    });
  });
});
