import type { ComparisonWarning } from '@assay/contracts/results';
import { isNumeric, type PassingRule, passes } from '@assay/contracts/scale';
import { mean } from '@assay/statistics/describe';
import { holmAdjust } from '@assay/statistics/holm';
import { midPFisher, type Successes, welchTest } from '@assay/statistics/two-samples';
import type { ComparedMetric, Sides } from './sides.ts';
import type { ValuesOfBoth } from './values.ts';

/** The judge's errors on records that people scored, and people's values. */
interface JudgeErrors {
  errors: readonly number[];
  people: readonly number[];
}

type ErrorsOfBoth = Record<keyof Sides, JudgeErrors>;

/**
 * Tells where the judge's errors differ between the runs beyond chance: a comparison takes them for
 * a difference. Booleans: the judge's share of people's passes and of their failures, each by
 * Fisher's mid-p test and both together by Holm's correction; int and float: the mean error, by
 * Welch's test. The runs' records count as independent; those of one testcase are alike, which
 * makes both tests more careful.
 */
export function differingErrors(
  { baseline, candidate }: ComparedMetric,
  gathered: ValuesOfBoth,
  level: number,
): ComparisonWarning[] {
  const labels: ErrorsOfBoth = {
    baseline: gathered.baseline.columns.get(baseline.metricVersionId)!.labels,
    candidate: gathered.candidate.columns.get(candidate.metricVersionId)!.labels,
  };
  const tested = testsOf(candidate, labels);
  const adjusted = holmAdjust(tested.map(({ pValue }) => pValue));
  const [least] = tested
    .map((test, place) => ({ ...test, pValue: adjusted[place]! }))
    .filter(({ pValue }) => pValue !== null && pValue <= 1 - level)
    .sort((one, other) => one.pValue! - other.pValue!);
  if (!least) return [];
  const { sentence, pValue, ...details } = least;
  return [
    {
      code: 'judge_errors_differ',
      message: `${sentence} It is kinder to one of them, so a difference may be the judge's.`,
      details: { ...details, pValue: pValue! },
    },
  ];
}

function testsOf(metric: PassingRule, { baseline, candidate }: ErrorsOfBoth) {
  if (isNumeric(metric.outputType)) {
    const [ofBaseline, ofCandidate] = [mean(baseline.errors), mean(candidate.errors)];
    const numbers = { baseline: ofBaseline ?? 0, candidate: ofCandidate ?? 0 };
    return [
      {
        error: 'meanError',
        test: 'Welch',
        pValue: welchTest(baseline.errors, candidate.errors),
        sentence: `The judge gives ${moreOrLess(numbers.baseline)} than people in the baseline run, and ${moreOrLess(numbers.candidate)} in the candidate run.`,
        ...numbers,
        baselineLabels: baseline.errors.length,
        candidateLabels: candidate.errors.length,
      },
    ];
  }
  const good = Number(passes(metric, true));
  return [
    { error: 'sensitivity', kind: good, say: 'pass', finds: 'passes' },
    { error: 'specificity', kind: 1 - good, say: 'fail', finds: 'fails' },
  ].flatMap(({ error, kind, say, finds }) => {
    const [before, after] = [foundOf(baseline, kind), foundOf(candidate, kind)];
    if (before.trials === 0 || after.trials === 0) return [];
    return [
      {
        error,
        test: "Fisher's mid-p",
        pValue: midPFisher(before, after),
        sentence: `Of what people ${say}, the judge ${finds} ${shareText(before)} in the baseline run, and ${shareText(after)} in the candidate run.`,
        baseline: before.successes / before.trials,
        candidate: after.successes / after.trials,
        baselineLabels: before.trials,
        candidateLabels: after.trials,
      },
    ];
  });
}

/** The records of which people say `kind`, and those of which the judge says it too. */
function foundOf({ errors, people }: JudgeErrors, kind: number): Successes {
  const found = { successes: 0, trials: 0 };
  for (const [place, value] of people.entries()) {
    if (value !== kind) continue;
    found.trials++;
    if (errors[place] === 0) found.successes++;
  }
  return found;
}

const shareText = ({ successes, trials }: Successes): string =>
  `${Math.round((100 * successes) / trials)} % (${successes} of ${trials})`;

const moreOrLess = (error: number): string =>
  `${Math.abs(error).toFixed(2)} ${error < 0 ? 'less' : 'more'}`;
