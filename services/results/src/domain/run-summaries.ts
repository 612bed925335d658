import type { IdempotencyKey, Identity } from '@assay/contracts/define';
import { type Issue, invalid, notFound } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type {
  ErrorsCounting,
  ErrorsResult,
  MetricResult,
  RunResults,
  RunSummaries,
} from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { statedScale } from '@assay/contracts/scale';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from './dependencies.ts';
import { createRememberedAnswers } from './remembered-answers.ts';
import type { Summaries } from './summary.ts';
import { systemMetricIds, systemMetricOf } from './system-metrics.ts';

/** Metrics of runs that are kept, of all organizations: about 10 MB. */
const metricsMax = 20_000;

interface KeptResults {
  /** The state of the run that the results are of. */
  state: string;
  metrics: MetricResult[];
  errors: ErrorsResult;
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
    const { runs } = await runRecords.readRuns(identity, { runIds, withExpired: true });
    const found = new Map(runs.map((run) => [run.id, run]));
    const issues = runIds.flatMap((runId, index): Issue[] =>
      found.has(runId)
        ? []
        : [{ path: `/runIds/${index}`, message: 'does not belong to this organization' }],
    );
    if (issues.length > 0) throw invalid(issues);
    return runIds.map((runId) => found.get(runId)!);
  }

  /** The results of a run by its own metrics, or by the given ones of the system. */
  async function resultsOf(
    identity: Identity,
    run: RunOutline,
    errorsCounting: ErrorsCounting,
    measured: MetricVersionOutline[] = [],
  ): Promise<KeptResults> {
    const names = measured.map(({ metricId }) => metricId);
    const key = [identity.organizationId, run.id, errorsCounting, ...names].join('/');
    // A metric can join a run in which nothing else changes.
    const state = `${run.changes}/${run.metrics.length}`;
    const keptResults = () => {
      const results = kept.get(key);
      return results?.state === state ? results : undefined;
    };
    return (
      keptResults() ??
      inTurn(async () => {
        // Another request may have read the run while this one waited.
        const known = keptResults();
        if (known) return known;
        const { metrics, errors } = await summaries.summaryOf(identity, run, {
          errors: errorsCounting,
          ...(measured.length > 0 ? { metrics: measured } : {}),
        });
        const results = {
          state,
          metrics: metrics.map((metric) => ({
            metricId: metric.metricId,
            metricVersionId: metric.metricVersionId,
            ...toResult(metric),
          })),
          errors: toResult(errors),
        };
        kept.set(key, results);
        return results;
      })
    );
  }

  async function namedOf(
    identity: Identity,
    run: RunOutline,
    { metricIds, errors }: { metricIds?: string[] | undefined; errors: ErrorsCounting },
  ) {
    if (run.expired) return keptOf(run.expired, metricIds);
    if (!metricIds) return shownOf(await resultsOf(identity, run, errors));
    const measured = [...new Set(metricIds)].sort().flatMap((id) => systemMetricOf(id) ?? []);
    const isNamed = ({ metricId }: { metricId: string }) => metricIds.includes(metricId);
    const ofSystem = measured.length > 0 ? [await resultsOf(identity, run, errors, measured)] : [];
    const isRead = ofSystem.length === 0 || run.metrics.some(isNamed);
    const ofRun = isRead ? [await resultsOf(identity, run, errors)] : [];
    return {
      metrics: [
        ...ofRun.flatMap(({ metrics }) => metrics.filter(isNamed)),
        ...ofSystem.flatMap(({ metrics }) => metrics),
      ],
      errors: [...ofRun, ...ofSystem][0]!.errors,
    };
  }

  return {
    /** @throws NOT_FOUND where the run does not exist. */
    async one(identity: Identity, runId: string): Promise<RunResults> {
      const { runs } = await runRecords.readRuns(identity, { runIds: [runId] });
      const [run] = runs;
      if (!run) throw notFound('run', runId);
      const own = await resultsOf(identity, run, 'worst');
      const measured = [...systemMetricIds].sort().flatMap((id) => systemMetricOf(id) ?? []);
      const ofSystem = await resultsOf(identity, run, 'worst', measured);
      return { metrics: [...own.metrics, ...ofSystem.metrics], errors: own.errors };
    },
    /**
     * Reads a run's records only if it has changed since its results were kept: one run at a time,
     * each in its organization's turn. What was read stays kept when the client goes away.
     */
    several: (
      identity: Identity,
      {
        runIds,
        ...wanted
      }: { runIds: string[]; metricIds?: string[] | undefined; errors: ErrorsCounting },
      key: IdempotencyKey | undefined,
    ): Promise<RunSummaries> =>
      onceOf(identity, key, async () => {
        const items: RunSummaries['items'] = [];
        for (const run of await findRuns(identity, runIds))
          items.push({ runId: run.id, ...(await namedOf(identity, run, wanted)) });
        return { items };
      }),
  };
}

/** The kept results of an expired run, which include the metrics of its records. */
const keptOf = ({ metrics, errors }: RunResults, metricIds: string[] | undefined): RunResults => ({
  metrics: metrics.filter(({ metricId }) =>
    metricIds ? metricIds.includes(metricId) : !systemMetricOf(metricId),
  ),
  errors,
});

const shownOf = ({ metrics, errors }: KeptResults) => ({ metrics, errors });

const toResult = ({
  name,
  outputType,
  min,
  max,
  lowerIsBetter,
  count,
  records,
  failed,
  errored,
  invalid,
  notApplicable,
  passRate,
  mean,
  confidenceInterval,
}: ErrorsResult): ErrorsResult => ({
  name,
  outputType,
  ...statedScale({ outputType, min, max, lowerIsBetter }),
  count,
  records,
  failed,
  errored,
  invalid,
  notApplicable,
  passRate,
  mean,
  confidenceInterval,
});
