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
    message: `A provider's limits caused ${baseline.errors.byLimit} errors in the baseline run and ${candidate.errors.byLimit} in the candidate run. A verdict counts only where it holds without them, too.`,
    details: { baseline: baseline.errors.byLimit, candidate: candidate.errors.byLimit },
  };
  return {
    ...comparison,
    metrics: comparison.metrics.map((metric, place) => held(metric, without.metrics[place]!)),
    errors: held(comparison.errors, without.errors),
    warnings: [...(comparison.warnings ?? []), warning],
  };
}

type Verdicts = Pick<Comparison['errors'], 'verdict' | 'anytimeVerdict'> & {
  calibrated?: Comparison['metrics'][number]['calibrated'];
};

/** Two verdicts as one: undecided where they are not the same. */
function held<Row extends Verdicts>(row: Row, other: Verdicts): Row {
  const { calibrated } = row;
  const holds = (verdict: Row['verdict'], without: Row['verdict'] | undefined) =>
    verdict === without ? verdict : 'undecided';
  return {
    ...row,
    verdict: holds(row.verdict, other.verdict),
    anytimeVerdict: holds(row.anytimeVerdict, other.anytimeVerdict),
    ...(calibrated && {
      calibrated: { ...calibrated, verdict: holds(calibrated.verdict, other.calibrated?.verdict) },
    }),
  };
}
