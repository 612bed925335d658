import type { Identity } from '@assay/contracts/define';
import type { OutputType } from '@assay/contracts/metrics';
import type { StoredRun } from '../store/runs.ts';
import { annotatorAgreement } from './annotator-agreement.ts';
import type { Dependencies } from './dependencies.ts';
import { finalValue, type Rating, ratingsOf } from './ratings.ts';
import type { Runs } from './runs.ts';
import { bootstrapMean } from './statistics/bootstrap.ts';
import { distribution, mean, standardDeviation } from './statistics/describe.ts';
import { wilsonInterval } from './statistics/proportions.ts';

/** One metric's values in a run; booleans as 0 and 1. */
export interface MetricValues {
  outputType: OutputType;
  passingThreshold: number | null;
  values: Float64Array;
}

export type MetricStatistics = ReturnType<typeof summarizeValues>;

const level = 0.95;

/** Summarizes one metric (contract section 3, Results). Pure, and heavy for many values: it runs in a worker. */
export function summarizeValues({ outputType, passingThreshold, values }: MetricValues) {
  const passes = passCount({ outputType, passingThreshold, values });
  const interval = outputType === 'boolean' ? wilson(values) : bootstrapMean({ values, level });
  return {
    count: values.length,
    mean: mean(values),
    passRate: passes === null || values.length === 0 ? null : passes / values.length,
    confidenceInterval: interval && { low: interval.low, high: interval.high, level },
    method: interval?.method ?? 'too few values',
    standardDeviation: standardDeviation(values),
    distribution: distribution({ outputType, values }),
  };
}

function wilson(values: Float64Array) {
  const interval = wilsonInterval({ successes: values.reduce((sum, value) => sum + value, 0), trials: values.length, level });
  return interval && { ...interval, method: 'Wilson score' };
}

function passCount({ outputType, passingThreshold, values }: MetricValues): number | null {
  const threshold = outputType === 'boolean' ? 1 : passingThreshold;
  return threshold === null ? null : values.reduce((count, value) => count + (value >= threshold ? 1 : 0), 0);
}

export function createSummaries({
  store,
  summarize,
  runs,
}: Pick<Dependencies, 'store'> & { summarize: (values: MetricValues) => Promise<MetricStatistics>; runs: Runs }) {
  /** Reads the run's records once: a value per record and metric version, and the ratings of records that several people scored. */
  async function gather(organizationId: string, run: StoredRun) {
    const gathered = new Map(
      run.metrics.map((metric) => [metric.metricVersionId, { metric, values: [] as number[], failed: 0, rated: [] as Rating[][] }]),
    );
    for await (const { awaited, scores, failures } of store.records.listValues(organizationId, run.id)) {
      for (const [metricVersionId, ratings] of ratingsOf(scores)) {
        const entry = gathered.get(metricVersionId);
        if (!entry) continue;
        const value = finalValue(ratings, { metricVersionId, outputType: entry.metric.outputType, awaited });
        if (value !== undefined) entry.values.push(Number(value));
        if (ratings.length > 1) entry.rated.push(ratings);
      }
      for (const { metricVersionId } of failures) gathered.get(metricVersionId)!.failed++;
    }
    return [...gathered.values()];
  }

  return {
    async summary(identity: Identity, runId: string) {
      const run = await runs.runOf(identity, runId);
      const metrics = await Promise.all(
        (await gather(identity.organizationId, run)).map(async ({ metric, values, failed, rated }) => {
          const { metricId, metricVersionId, name, outputType, passingThreshold, annotators } = metric;
          const statistics = await summarize({ outputType, passingThreshold, values: Float64Array.from(values) });
          const agreement = annotators > 1 ? { agreement: annotatorAgreement(outputType, rated) } : {};
          return { metricId, metricVersionId, name, outputType, failed, ...statistics, ...agreement };
        }),
      );
      return { runId, metrics };
    },
  };
}
