import type { Identity } from '@assay/contracts/define';
import { invalid } from '@assay/contracts/failure';
import type { StoredRun } from '../../store/runs.ts';
import { type ScoreStates, scoreStatesOf, withPending } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { batchMax, type Change, type Requeue } from '../runs/requeue.ts';
import type { Runs } from '../runs/runs.ts';

/** Scores records again with the current versions of their metrics. */
export function createRescoring({
  store,
  ask,
  runs,
  requeue,
}: Pick<Dependencies, 'store' | 'ask'> & { runs: Runs; requeue: Requeue }) {
  /**
   * Returns the ids of the run's metrics that are scored anew: those of `metricIds`, where it is
   * given.
   */
  function chosenMetrics(run: StoredRun, metricIds: string[] | undefined): string[] {
    const own = new Map(run.metrics.map((metric) => [metric.metricId, metric]));
    const issues = (metricIds ?? []).flatMap((id, index) => {
      if (!own.has(id))
        return [{ path: `/metricIds/${index}`, message: 'does not belong to this run' }];
      return own.get(id)!.isScoredByService
        ? []
        : [{ path: `/metricIds/${index}`, message: 'is not scored by the service' }];
    });
    if (issues.length > 0) throw invalid(issues);
    return (
      metricIds ??
      [...own.values()]
        .filter(({ isScoredByService }) => isScoredByService)
        .map(({ metricId }) => metricId)
    );
  }

  async function currentMetrics(
    identity: Identity,
    run: StoredRun,
    metricIds: string[] | undefined,
  ) {
    const chosen = [...new Set(chosenMetrics(run, metricIds))];
    if (chosen.length === 0) return [];
    const { versions, missing } = await ask.metrics.currentVersions(identity, {
      projectId: run.projectId,
      metricIds: chosen,
    });
    const deleted = (metricIds ?? []).flatMap((id, index) =>
      missing.includes(id) ? [{ path: `/metricIds/${index}`, message: 'was deleted' }] : [],
    );
    if (deleted.length > 0) throw invalid(deleted);
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

  return {
    /** The current versions of the metrics join the run. Scores that a person gave stay. */
    async rescore(
      identity: Identity,
      runId: string,
      { metricIds, recordIds }: { metricIds?: string[]; recordIds?: string[] },
    ): Promise<{ queued: number }> {
      const { organizationId } = identity;
      const run = await runs.runOf(identity, runId);
      const metrics = await currentMetrics(identity, run, metricIds);
      if (recordIds) await checkRecords(organizationId, runId, recordIds);
      await store.runs.addMetrics(organizationId, runId, metrics);
      const change: Change = (record) => {
        const { scores } = record;
        const anew = metrics.filter(
          ({ metricVersionId }) =>
            !scores.some(
              (score) => score.metricVersionId === metricVersionId && score.source === 'human',
            ),
        );
        if (anew.length === 0) return undefined;
        return {
          states: anew.reduce<ScoreStates>(
            (states, { metricVersionId }) => withPending(states, metricVersionId),
            scoreStatesOf(record),
          ),
          queued: anew.length,
        };
      };
      const batches = recordIds
        ? inBatches([...new Set(recordIds)])
        : requeue.recordsOf(organizationId, runId, { isPending: false });
      return {
        queued: await requeue.queueChanged(organizationId, await runs.runOf(identity, runId), {
          batches,
          change,
        }),
      };
    },
  };
}

async function* inBatches(ids: string[]): AsyncIterable<string[]> {
  for (let from = 0; from < ids.length; from += batchMax) yield ids.slice(from, from + batchMax);
}
