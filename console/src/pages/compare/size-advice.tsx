import type { ReplyOf } from '@assay/client/operations';
import { usePlan } from '../../api/plan.ts';
import { settlingSentence, usualPower } from '../../text/plans.ts';
import type { MetricComparison } from '../../text/verdicts.ts';
import styles from './compare.module.css';

/** Says of an undecided metric how many testcases it would take; nothing for groups of testcases. */
export function SizeAdvice({
  comparison: { baselineRunId, candidateRunId },
  metric: { metricId, verdict, difference, paired, numGroups, confidenceInterval },
}: {
  comparison: ReplyOf<'POST', '/comparisons'>;
  metric: MetricComparison;
}) {
  const size = Math.abs(difference ?? 0);
  const isAsked = verdict === 'undecided' && size > 0 && paired > 1 && numGroups === undefined;
  const plan = usePlan(
    isAsked
      ? {
          metricId,
          difference: size,
          power: usualPower,
          level: confidenceInterval?.level ?? 0.95,
          pilotRunId: candidateRunId,
          pilotBaselineRunId: baselineRunId,
        }
      : undefined,
  );
  const sentence = plan.data ? settlingSentence(plan.data, size, paired) : '';
  return sentence && <p className={styles.hint}>{sentence}</p>;
}
