import type { IdempotencyKey, Identity } from '@assay/contracts/define';
import { type Issue, invalid } from '@assay/contracts/failure';
import type { MetricResult, RunSummaries } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from './dependencies.ts';
import { createRememberedAnswers } from './remembered-answers.ts';
import type { Summaries } from './summary.ts';

/** Metrics of runs that are kept, of all organizations: about 10 MB. */
const metricsMax = 20_000;

interface KeptResults {
  /** The state of the run that the results are of. */
  state: string;
  metrics: MetricResult[];
}

/** The results of several runs, as a list of runs shows them (contract section 4). */
export function createRunSummaries({
  runRecords,
  inTurn,
  summaries,
}: Pick<Dependencies, 'runRecords' | 'inTurn'> & { summaries: Summaries }) {
  const onceOf = createRememberedAnswers({ runRecords });
  const kept = new LRUCache<string, KeptResults>({
    maxSize: metricsMax,
    sizeCalculation: ({ metrics }) => metrics.length + 1,
  });

  /** @throws VALIDATION_ERROR where a run does not exist. */
  async function findRuns(identity: Identity, runIds: string[]): Promise<RunOutline[]> {
    const { runs } = await runRecords.readRuns(identity, { runIds });
    const found = new Map(runs.map((run) => [run.id, run]));
    const issues = runIds.flatMap((runId, index): Issue[] =>
      found.has(runId)
        ? []
        : [{ path: `/runIds/${index}`, message: 'does not belong to this organization' }],
    );
    if (issues.length > 0) throw invalid(issues);
    return runIds.map((runId) => found.get(runId)!);
  }

  async function metricsOf(identity: Identity, run: RunOutline): Promise<MetricResult[]> {
    const key = `${identity.organizationId}/${run.id}`;
    // A metric can join a run in which nothing else changes.
    const state = `${run.changes}/${run.metrics.length}`;
    const keptMetrics = () => {
      const results = kept.get(key);
      return results?.state === state ? results.metrics : undefined;
    };
    return (
      keptMetrics() ??
      inTurn(async () => {
        // Another request may have read the run while this one waited.
        const known = keptMetrics();
        if (known) return known;
        const metrics = (await summaries.summaryOf(identity, run)).metrics.map(toResult);
        kept.set(key, { state, metrics });
        return metrics;
      })
    );
  }

  return {
    /**
     * Reads a run's records only if it has changed since its results were kept: one run at a time,
     * each in its organization's turn. What was read stays kept when the client goes away.
     */
    several: (
      identity: Identity,
      runIds: string[],
      key: IdempotencyKey | undefined,
    ): Promise<RunSummaries> =>
      onceOf(identity, key, async () => {
        const items: RunSummaries['items'] = [];
        for (const run of await findRuns(identity, runIds))
          items.push({ runId: run.id, metrics: await metricsOf(identity, run) });
        return { items };
      }),
  };
}

const toResult = ({
  metricId,
  metricVersionId,
  name,
  outputType,
  count,
  records,
  failed,
  passRate,
  mean,
  confidenceInterval,
}: MetricResult): MetricResult => ({
  metricId,
  metricVersionId,
  name,
  outputType,
  count,
  records,
  failed,
  passRate,
  mean,
  confidenceInterval,
});
