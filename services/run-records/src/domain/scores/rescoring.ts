import type { Identity } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { AnswerCache } from '@assay/contracts/run-records';
import type { Envelope } from '../../store/record.ts';
import type { StoredRun } from '../../store/runs.ts';
import { withAsked, withOutsideCounted } from '../accounts/joined-metrics.ts';
import {
  isNewest,
  scoreStatesOf,
  withCacheException,
  withPending,
} from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { batchMax, type Change, type MissingCount, type Requeue } from '../runs/requeue.ts';
import type { Runs } from '../runs/runs.ts';
import type { RescoreBody, RescoredMetrics } from './rescored-metrics.ts';

/** Scores records again with the current versions of metrics, which join the run. */
export function createRescoring({
  store,
  runs,
  requeue,
  rescoredMetrics,
}: Pick<Dependencies, 'store'> & {
  runs: Runs;
  requeue: Requeue;
  rescoredMetrics: RescoredMetrics;
}) {
  /** Records that are held for other metrics can be taken for those that people score. */
  async function* opened(
    organizationId: string,
    batches: AsyncIterable<string[]>,
    metrics: MetricVersionOutline[],
  ): AsyncIterable<string[]> {
    const versions = metrics
      .filter(({ evalType }) => evalType === 'human')
      .map(({ metricVersionId }) => metricVersionId);
    for await (const ids of batches) {
      yield ids;
      if (versions.length > 0) await store.leases.open(organizationId, ids, versions);
    }
  }

  return {
    /** Scores that a person gave stay; a metric that people score is asked for where they have not. */
    async rescore(
      identity: Identity,
      runId: string,
      { metricIds, recordIds, cache }: RescoreBody,
    ): Promise<MissingCount> {
      const { organizationId } = identity;
      const { run: before, current } = await rescoredMetrics.find(identity, runId, {
        metricIds,
        recordIds,
      });
      if (before.stopping && current.some(({ evalType }) => evalType === 'ai'))
        await store.runs.judgeAll(organizationId, runId);
      await store.runs.addMetrics(organizationId, runId, current);
      const run = await runs.runOf(identity, runId);
      // A newer version that has joined at the same time is asked for alone.
      const metrics = current.filter(
        (metric) => metric.isScoredByService || isNewest(metric, run.metrics),
      );
      const batches = recordIds
        ? inBatches([...new Set(recordIds)])
        : requeue.recordsOf(organizationId, runId, { isPending: false });
      return requeue.queueChanged(organizationId, run, {
        batches: opened(organizationId, batches, metrics),
        change: changeOf(run, metrics, cache ?? run.cache),
      });
    },
  };
}

/** Makes the scores of these metrics pending or awaited, but not those that people have given. */
function changeOf(run: StoredRun, metrics: MetricVersionOutline[], cache: AnswerCache): Change {
  const isException = cache !== run.cache;
  return (record) => {
    const before = scoreStatesOf(record);
    let states = before;
    const missing: MissingCount = { queued: 0, awaited: 0 };
    for (const metric of metrics) {
      const { metricVersionId, isScoredByService } = metric;
      if (!isScoredByService) {
        states = withAsked(states, metric, run.metrics);
        if (states.awaited.includes(metricVersionId)) missing.awaited += 1;
      } else if (isGiven(record, metricVersionId)) {
        states = withOutsideCounted(states, metricVersionId);
      } else {
        states = withCacheException(
          withPending(states, metricVersionId),
          metricVersionId,
          isException,
        );
        if (states.pending.includes(metricVersionId)) missing.queued += 1;
      }
    }
    return { ...missing, states: states === before ? undefined : states };
  };
}

const isGiven = ({ scores }: Envelope, metricVersionId: string): boolean =>
  scores.some((score) => score.metricVersionId === metricVersionId && score.source === 'human');

async function* inBatches(ids: string[]): AsyncIterable<string[]> {
  for (let from = 0; from < ids.length; from += batchMax) yield ids.slice(from, from + batchMax);
}
