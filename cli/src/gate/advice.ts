import { type Client, RequestFailure } from '@assay/client/client';
import { percent, whole } from '@assay/client/figures';
import { type MetricComparison, unitOf } from '@assay/comparison/figures';
import { sizeOf } from '@assay/comparison/plan';
import type { Question } from './arguments.ts';

const power = 0.8;

/**
 * Says how many testcases it would take, where a metric is undecided on too few of them: to find the
 * regression that the gate is to stop, or without such a limit a difference as large as this one.
 * Nothing where Assay has no plan for it, and for groups, of which no plan knows.
 */
export async function sizeAdvice({
  client,
  question: { baseline, candidate, level, groupBy, limits, errors },
  metric,
}: {
  client: Client;
  question: Question;
  metric: MetricComparison;
}): Promise<string[]> {
  const { metricId, verdict, paired, minimumDetectableDifference: detectable } = metric;
  const difference = limits.maxRegression ?? Math.abs(metric.difference ?? 0);
  const isSeen = detectable !== null && detectable <= difference;
  if (verdict !== 'undecided' || groupBy !== undefined || paired < 2) return [];
  if (difference === 0 || isSeen) return [];
  const plan = await client
    .request('POST', '/plans', {
      body: {
        metricId,
        difference,
        power,
        level,
        pilotRunId: candidate,
        pilotBaselineRunId: baseline,
        errors,
      },
    })
    .catch(withoutPlan);
  if (!plan || plan.testcases === null || plan.testcases <= paired) return [];
  const size = sizeOf(unitOf(metric), difference);
  const found =
    limits.maxRegression === undefined
      ? `a difference as large as the one seen, ${size}, would be found`
      : `a regression of ${size} would be found`;
  return [
    `${found} in ${percent(power)} of comparisons of about ${whole(plan.testcases)} testcases with a record each; these have ${whole(paired)}.`,
  ];
}

/** A plan is only help: a comparison that has none is judged all the same. */
function withoutPlan(error: unknown): undefined {
  if (error instanceof RequestFailure) return undefined;
  throw error;
}
