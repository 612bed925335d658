import type { Identity } from '@assay/contracts/define';
import { conflict, type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { type AnswerCache, runMetricsMax } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import { judgesOfPairs } from '../runs/judges-of-pairs.ts';
import type { Runs } from '../runs/runs.ts';

export interface RescoreBody {
  metricIds?: string[] | undefined;
  recordIds?: string[] | undefined;
  cache?: AnswerCache | undefined;
}

export type RescoredMetrics = ReturnType<typeof createRescoredMetrics>;

/** The metric versions that a rescoring means. */
export function createRescoredMetrics({
  store,
  ask,
  runs,
}: Pick<Dependencies, 'store' | 'ask'> & { runs: Runs }) {
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

  return {
    /** @throws CONFLICT where its judges still decide a comparison. */
    async find(
      identity: Identity,
      runId: string,
      { metricIds, recordIds }: RescoreBody,
    ): Promise<{ run: StoredRun; current: MetricVersionOutline[] }> {
      const run = await runs.runOf(identity, runId);
      const current = metricIds
        ? await namedMetrics(identity, run, metricIds)
        : await ownMetrics(identity, run);
      if (recordIds) await checkRecords(identity.organizationId, runId, recordIds);
      const isJudged = current.some(({ evalType }) => evalType === 'ai');
      if (run.stopping && !run.stopping.decision && isJudged) throw conflict(isBeingDecided);
      return { run, current };
    },
  };
}

const isBeingDecided =
  'The run is judged until its comparison is decided: rescore it once its decision is there.';
