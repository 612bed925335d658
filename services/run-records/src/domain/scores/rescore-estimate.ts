import type { Identity } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RescoreEstimate } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import { usdOf } from '../accounts/money.ts';
import type { Dependencies } from '../dependencies.ts';
import type { RescoreBody, RescoredMetrics } from './rescored-metrics.ts';

type MetricEstimate = RescoreEstimate['metrics'][number];

/** Estimates how many scores a rescoring would make, and the cost of its judges. */
export function createRescoreEstimate({
  store,
  ask,
  rescoredMetrics,
}: Pick<Dependencies, 'store' | 'ask'> & { rescoredMetrics: RescoredMetrics }) {
  async function costOf(
    identity: Identity,
    { id, projectId }: StoredRun,
    { metricId, evalType }: MetricVersionOutline,
    scores: number,
  ): Promise<number | null> {
    if (scores === 0 || evalType !== 'ai') return 0;
    const { costUsd } = await ask.results.recordCost(identity, {
      projectId,
      metricIds: [metricId],
      pilotRunId: id,
    });
    return costUsd === null ? null : costUsd * scores;
  }

  return {
    async estimate(
      identity: Identity,
      runId: string,
      { metricIds, recordIds }: RescoreBody,
    ): Promise<RescoreEstimate> {
      const { organizationId } = identity;
      const { run, current } = await rescoredMetrics.find(identity, runId, {
        metricIds,
        recordIds,
      });
      const ids = recordIds && [...new Set(recordIds)];
      const counts = (await store.runs.countsOf(organizationId, [runId])).get(runId)!;
      const meant = { runId, recordIds: ids };
      const scorable =
        (ids?.length ?? counts.records) - (await store.coverage.countErrors(organizationId, meant));

      async function ofMetric(metric: MetricVersionOutline): Promise<MetricEstimate> {
        const { metricId, metricVersionId, name, evalType, isScoredByService } = metric;
        const given = isScoredByService
          ? await store.coverage.countGivenByPeople(organizationId, { ...meant, metricVersionId })
          : await store.coverage.countGiven(organizationId, { ...meant, metricVersionId });
        const missing = Math.max(0, scorable - given);
        return {
          metricId,
          metricVersionId,
          name,
          evalType,
          queued: isScoredByService ? missing : 0,
          awaited: isScoredByService ? 0 : missing,
          costUsd: await costOf(identity, run, metric, missing),
        };
      }
      const metrics = await Promise.all(current.map(ofMetric));
      return {
        metrics,
        queued: sumOf(metrics.map(({ queued }) => queued)),
        awaited: sumOf(metrics.map(({ awaited }) => awaited)),
        costUsd: metrics.some(({ costUsd }) => costUsd === null)
          ? null
          : sumOf(metrics.map(({ costUsd }) => costUsd!)),
        budgetLeftUsd:
          run.budgetUsd === null ? null : Math.max(0, run.budgetUsd - usdOf(counts.costNanoUsd)),
      };
    },
  };
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);
