import type { IdempotencyKey, Identity } from '@assay/contracts/define';
import { type Issue, invalid, notFound } from '@assay/contracts/failure';
import type {
  ErrorsCounting,
  ErrorsResult,
  RunResults,
  RunSummaries,
} from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { statedScale } from '@assay/contracts/scale';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from './dependencies.ts';
import { createRememberedAnswers } from './remembered-answers.ts';
import type { Summaries } from './summary.ts';
import { isSystemMetric, systemMetricOutlines } from './system-metrics.ts';

/** Metrics of runs whose results are known, of all organizations: about 10 MB. */
const metricsMax = 20_000;

interface KnownResults {
  /** The state of the run that the results are of. */
  state: string;
  results: RunResults;
}

/** The results of several runs, as a list of runs shows them (contract section 4). */
export function createRunSummaries({
  store,
  runRecords,
  inTurn,
  summaries,
}: Pick<Dependencies, 'store' | 'runRecords' | 'inTurn'> & { summaries: Summaries }) {
  const onceOf = createRememberedAnswers({ store });
  /** Until run-records keeps them, and of errors that count otherwise. */
  const lately = new LRUCache<string, KnownResults>({
    maxSize: metricsMax,
    sizeCalculation: ({ results }) => results.metrics.length + 1,
  });

  /** @throws VALIDATION_ERROR where a run does not exist. */
  async function findRuns(identity: Identity, runIds: string[]): Promise<RunOutline[]> {
    const { runs } = await runRecords.readRuns(identity, {
      runIds,
      withExpired: true,
      withResults: true,
    });
    const found = new Map(runs.map((run) => [run.id, run]));
    const issues = runIds.flatMap((runId, index): Issue[] =>
      found.has(runId)
        ? []
        : [{ path: `/runIds/${index}`, message: 'does not belong to this organization' }],
    );
    if (issues.length > 0) throw invalid(issues);
    return runIds.map((runId) => found.get(runId)!);
  }

  /** The results of a run by its own metrics and those of its records themselves. */
  async function resultsOf(
    identity: Identity,
    run: RunOutline,
    errorsCounting: ErrorsCounting,
  ): Promise<RunResults> {
    if (run.kept && errorsCounting === 'worst') return run.kept;
    const key = [identity.organizationId, run.id, errorsCounting].join('/');
    // A metric can join a run in which nothing else changes.
    const state = `${run.changes}/${run.metrics.length}`;
    const knownResults = () => {
      const known = lately.get(key);
      return known?.state === state ? known.results : undefined;
    };
    return (
      knownResults() ??
      inTurn(async () => {
        // Another request may have read the run while this one waited.
        const known = knownResults();
        if (known) return known;
        const { metrics, errors } = await summaries.summaryOf(identity, run, {
          errors: errorsCounting,
          metrics: [...run.metrics, ...systemMetricOutlines],
        });
        const results = {
          metrics: metrics.map((metric) => ({
            metricId: metric.metricId,
            metricVersionId: metric.metricVersionId,
            ...toResult(metric),
          })),
          errors: toResult(errors),
        };
        lately.set(key, { state, results });
        return results;
      })
    );
  }

  return {
    /**
     * Reads the run, whatever is kept of it: run-records asks in order to keep the answer.
     * @throws NOT_FOUND where the run does not exist.
     */
    async one(identity: Identity, runId: string): Promise<RunResults> {
      const { runs } = await runRecords.readRuns(identity, { runIds: [runId] });
      const [run] = runs;
      if (!run) throw notFound('run', runId);
      return resultsOf(identity, run, 'worst');
    },
    /**
     * Reads a run's records only if it has changed since its results were kept: one run at a time,
     * each in its organization's turn. What was read stays known when the client goes away.
     */
    several: (
      identity: Identity,
      { runIds, metricIds, errors }: WantedResults,
      key: IdempotencyKey | undefined,
    ): Promise<RunSummaries> =>
      onceOf(identity, key, async () => {
        const items: RunSummaries['items'] = [];
        for (const run of await findRuns(identity, runIds)) {
          const results = run.expired ?? (await resultsOf(identity, run, errors));
          items.push({ runId: run.id, ...named(results, metricIds) });
        }
        return { items };
      }),
  };
}

/** Of which runs results are wanted, and by which metrics; without any, by all of the run's own. */
export interface WantedResults {
  runIds: string[];
  metricIds?: string[] | undefined;
  errors: ErrorsCounting;
}

const named = ({ metrics, errors }: RunResults, metricIds: string[] | undefined): RunResults => ({
  metrics: metrics.filter((metric) =>
    metricIds ? metricIds.includes(metric.metricId) : !isSystemMetric(metric),
  ),
  errors,
});

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
  percentiles,
  sum,
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
  ...(percentiles && { percentiles }),
  ...(sum === undefined ? {} : { sum }),
});
