import type { Comparison, ComparisonWarning } from '@assay/contracts/results';
import type { ValuesOfBoth } from './values.ts';

const shareOf = ({ errors }: ValuesOfBoth['baseline']): number =>
  errors.of === 0 ? 0 : errors.byLimit / errors.of;

/** Whether a provider's limits made the system fail more often in one run than in the other. */
export const limitsDiffer = ({ baseline, candidate }: ValuesOfBoth): boolean =>
  shareOf(baseline) !== shareOf(candidate);

/**
 * The comparison with the verdicts that hold without the errors by a provider's limits, too: those
 * say nothing of a system (contract section 5, Results). Another verdict becomes undecided.
 */
export function holdingWithoutLimits(
  comparison: Comparison,
  { gathered, without }: { gathered: ValuesOfBoth; without: Comparison },
): Comparison {
  const { baseline, candidate } = gathered;
  const warning: ComparisonWarning = {
    code: 'limits_differ',
    message: `Errors by a provider's limits: ${baseline.errors.byLimit} in the baseline run, ${candidate.errors.byLimit} in the candidate run. A verdict counts only where it holds without them, too.`,
    details: { baseline: baseline.errors.byLimit, candidate: candidate.errors.byLimit },
  };
  return {
    ...comparison,
    metrics: comparison.metrics.map((metric, place) => held(metric, without.metrics[place]!)),
    errors: held(comparison.errors, without.errors),
    warnings: [...(comparison.warnings ?? []), warning],
  };
}

type Figures = Pick<
  Comparison['errors'],
  'verdict' | 'confidenceInterval' | 'pValue' | 'adjustedPValue'
>;

type Result = Figures &
  Pick<Comparison['errors'], 'anytimeVerdict' | 'warnings'> & {
    calibrated?: Comparison['metrics'][number]['calibrated'];
  };

/**
 * Two results as one: undecided where their verdicts are not the same. Then the interval has both, so
 * that it reaches 0, and the p-values are the greater ones: the claim would have to hold both times.
 */
function held<Row extends Result>(row: Row, other: Row): Row {
  const { calibrated } = row;
  const corrected = calibrated && {
    calibrated: heldFigures(calibrated, other.calibrated ?? calibrated),
  };
  const figures = heldFigures(row, other);
  const anytimeVerdict = heldVerdict(row.anytimeVerdict, other.anytimeVerdict);
  const changes =
    figures.verdict !== row.verdict || corrected?.calibrated.verdict !== calibrated?.verdict;
  return {
    ...row,
    ...figures,
    anytimeVerdict,
    ...corrected,
    ...(changes
      ? { warnings: [...(row.warnings ?? []), notWithoutLimits(figures.confidenceInterval)] }
      : {}),
  };
}

const notWithoutLimits = (interval: Figures['confidenceInterval']): ComparisonWarning => ({
  code: 'limits_differ',
  message: `Undecided since the difference is not shown without the errors by a provider's limits${interval === null ? '' : ': the interval has both results'}.`,
  details: {},
});

const heldVerdict = <Verdict>(one: Verdict, other: Verdict | undefined): Verdict | 'undecided' =>
  one === other ? one : 'undecided';

/** The figures of a result that has to hold both times. */
export function heldFigures<Row extends Figures>(row: Row, other: Figures): Row {
  const verdict = heldVerdict(row.verdict, other.verdict);
  if (verdict === row.verdict) return row;
  return {
    ...row,
    verdict,
    confidenceInterval: hullOf(row.confidenceInterval, other.confidenceInterval),
    pValue: greater(row.pValue, other.pValue),
    adjustedPValue: greater(row.adjustedPValue, other.adjustedPValue),
  };
}

const greater = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

const hullOf = (one: Figures['confidenceInterval'], other: Figures['confidenceInterval']) =>
  one === null || other === null
    ? null
    : { ...one, low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
