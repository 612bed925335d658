import type { Request } from '@assay/contracts/define';
import type { Issue } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Run, runRecords } from '@assay/contracts/run-records';
import type { Stopping, StoredRun } from '../../store/runs.ts';

type RunBody = Request<(typeof runRecords)['operations']['createRun']>['body'];

/** Checks what a new run says about stopping early. */
export function stoppingIssues({
  body: { compareWith, stopWhen, metricIds, testsetId },
  projectId,
  baseline,
  metrics,
  count,
}: {
  body: RunBody;
  projectId: string;
  baseline: StoredRun | undefined;
  metrics: MetricVersionOutline[];
  count: number | null;
}): Issue[] {
  if (compareWith === undefined && stopWhen === undefined) return [];
  const issue = (path: string, message: string): Issue[] => [{ path, message }];
  if (stopWhen === undefined) return issue('/stopWhen', 'is required with compareWith');
  if (compareWith === undefined) return issue('/compareWith', 'is required with stopWhen');
  if (testsetId == null) return issue('/stopWhen', 'needs a testset, whose testcases are compared');
  if (count === 0) return issue('/testsetId', 'has no testcases to compare');
  if (baseline?.projectId !== projectId)
    return issue('/compareWith', 'does not belong to this project');
  if (baseline.testsetId !== testsetId) return issue('/compareWith', 'is a run of another testset');
  const judged = metrics.filter(({ evalType }) => evalType === 'ai');
  if (judged.length === 0) return issue('/stopWhen', 'needs a metric with a judge');
  const { metricId } = stopWhen;
  const place = '/stopWhen/metricId';
  if (metricId === undefined && judged.length > 1)
    return issue(place, 'is required, because the run has several metrics with a judge');
  if (metricId !== undefined && !metricIds.includes(metricId))
    return issue(place, "is not one of the run's metrics");
  const ruling = judged.find((metric) => metricId === undefined || metric.metricId === metricId);
  if (!ruling) return issue(place, 'is a metric without a judge');
  if (!baseline.metrics.some((metric) => metric.metricId === ruling.metricId))
    return issue('/compareWith', `is a run without the metric ${ruling.metricId}`);
  return [];
}

/**
 * How a new run may stop early. Where the baseline did so, its order is kept: then its judged
 * testcases come first, which alone can be compared.
 */
export function stoppingOf({
  body: { compareWith, stopWhen },
  runId,
  baseline,
  metrics,
}: {
  body: RunBody;
  runId: string;
  baseline: StoredRun | undefined;
  metrics: MetricVersionOutline[];
}): { stopping?: Stopping } {
  if (compareWith === undefined || stopWhen === undefined) return {};
  const { level, futility, metricId } = stopWhen;
  return {
    stopping: {
      compareWith,
      metricId: metricId ?? metrics.find(({ evalType }) => evalType === 'ai')!.metricId,
      level,
      futility,
      orderId: baseline?.stopping?.orderId ?? runId,
      judgedTo: '',
    },
  };
}

/** What a run says about stopping early. */
export function stoppingReply(
  { compareWith, level, futility, metricId, decision }: Stopping,
  judgementsSaved: number,
): Pick<Run, 'compareWith' | 'stopWhen' | 'decision'> {
  return {
    compareWith,
    stopWhen: { level, futility, metricId },
    decision: decision ? { ...decision, at: decision.at.toISOString(), judgementsSaved } : null,
  };
}
