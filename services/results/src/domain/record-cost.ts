import type { Identity } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Dependencies } from './dependencies.ts';
import { findScoreCost } from './plans/cost.ts';

export interface CostedRecord {
  projectId: string;
  metricIds: string[];
  pilotRunId: string | null;
}

/** What the judges of a record cost, estimated as in a plan of a comparison. */
export function createRecordCosts({ runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>) {
  /** The metrics of a run, those that joined it last at the end; none without a run. */
  async function metricsOf(identity: Identity, runId: string | null) {
    if (runId === null) return [];
    const { runs } = await runRecords.readRuns(identity, { runIds: [runId], withExpired: true });
    // What the judges of an expired run cost is gone with its records.
    return runs[0] && !runs[0].expired ? runs[0].metrics : [];
  }

  async function scoreUsd(
    identity: Identity,
    { metricId, metricVersionId }: MetricVersionOutline,
    pilot: { runId: string | null; metrics: MetricVersionOutline[] },
  ): Promise<number | null> {
    const { version } = await ask.metrics.version(identity, { metricVersionId });
    if (!version) return null;
    // People and rules ask no judge.
    if (!version.judge) return 0;
    const scored = pilot.metrics.findLast((metric) => metric.metricId === metricId);
    const { costUsd } = await findScoreCost({ runRecords, ask }, identity, {
      evalType: version.evalType,
      judge: version.judge,
      version,
      pilot: scored && { runId: pilot.runId!, metricVersionId: scored.metricVersionId },
    });
    return costUsd;
  }

  return {
    /** The costs of a score of each metric together, in US dollars; null where one is not known. */
    async of(
      identity: Identity,
      { projectId, metricIds, pilotRunId }: CostedRecord,
    ): Promise<number | null> {
      const { versions, missing } = await ask.metrics.currentVersions(identity, {
        projectId,
        metricIds,
      });
      if (missing.length > 0) return null;
      const pilot = { runId: pilotRunId, metrics: await metricsOf(identity, pilotRunId) };
      let sum = 0;
      for (const version of versions) {
        const costUsd = await scoreUsd(identity, version, pilot);
        if (costUsd === null) return null;
        sum += costUsd;
      }
      return sum;
    },
  };
}
