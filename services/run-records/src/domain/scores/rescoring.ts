import type { Identity } from '@assay/contracts/define';
import { conflict, type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { type AnswerCache, runMetricsMax } from '@assay/contracts/run-records';
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
import { judgesOfPairs } from '../runs/judges-of-pairs.ts';
import { batchMax, type Change, type MissingCount, type Requeue } from '../runs/requeue.ts';
import type { Runs } from '../runs/runs.ts';

/** Scores records again with the current versions of metrics, which join the run. */
export function createRescoring({
  store,
  ask,
  runs,
  requeue,
}: Pick<Dependencies, 'store' | 'ask'> & { runs: Runs; requeue: Requeue }) {
  /** The current versions of the named metrics of the run's project. */
  async function namedMetrics(
    identity: Identity,
    run: StoredRun,
    metricIds: string[],
  ): Promise<MetricVersionOutline[]> {
    const wanted = [...new Set(metricIds)];
    if (wanted.length === 0) return [];
    const { versions, missing } = await ask.metrics.currentVersions(identity, {
      projectId: run.projectId,
      metricIds: wanted,
    });
    const own = new Set(run.metrics.map(({ metricId }) => metricId));
    const issues = metricIds.flatMap((id, index): Issue[] => {
      if (!missing.includes(id)) return [];
      const message = own.has(id) ? 'was deleted' : 'does not belong to this project';
      return [{ path: `/metricIds/${index}`, message }];
    });
    issues.push(...judgesOfPairs(versions, metricIds));
    if (issues.length > 0) throw invalid(issues);
    const joining = wanted.filter((id) => !own.has(id));
    if (joining.length > 0 && own.size + joining.length > runMetricsMax)
      throw invalidAt('/metricIds', `would give the run more than ${runMetricsMax} metrics`);
    return versions;
  }

  /** The current versions of the run's metrics that the service scores. */
  async function ownMetrics(identity: Identity, run: StoredRun): Promise<MetricVersionOutline[]> {
    const own = run.metrics.filter(({ isScoredByService }) => isScoredByService);
    const metricIds = [...new Set(own.map(({ metricId }) => metricId))];
    if (metricIds.length === 0) return [];
    const { versions } = await ask.metrics.currentVersions(identity, {
      projectId: run.projectId,
      metricIds,
    });
    return versions.filter(({ isScoredByService }) => isScoredByService);
  }

  async function checkRecords(
    organizationId: string,
    runId: string,
    recordIds: string[],
  ): Promise<void> {
    const existing = new Set(await store.records.findIds(organizationId, runId, recordIds));
    const issues = recordIds.flatMap((id, index) =>
      existing.has(id)
        ? []
        : [{ path: `/recordIds/${index}`, message: 'does not belong to this run' }],
    );
    if (issues.length > 0) throw invalid(issues.slice(0, 100));
  }

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
      {
        metricIds,
        recordIds,
        cache,
      }: { metricIds?: string[]; recordIds?: string[]; cache?: AnswerCache },
    ): Promise<MissingCount> {
      const { organizationId } = identity;
      const before = await runs.runOf(identity, runId);
      const current = metricIds
        ? await namedMetrics(identity, before, metricIds)
        : await ownMetrics(identity, before);
      if (recordIds) await checkRecords(organizationId, runId, recordIds);
      if (before.stopping && current.some(({ evalType }) => evalType === 'ai')) {
        if (!before.stopping.decision) throw conflict(isBeingDecided);
        await store.runs.judgeAll(organizationId, runId);
      }
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

const isBeingDecided =
  'The run is judged until its comparison is decided: rescore it once its decision is there.';

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
