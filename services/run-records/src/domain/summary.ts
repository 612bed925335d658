import type { Identity } from '@assay/contracts/define';
import type { OutputType } from '@assay/contracts/metrics';
import type { StoredRun } from '../store/runs.ts';
import type { Parts } from './parts.ts';
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
}: Pick<Parts, 'store'> & { summarize: (values: MetricValues) => Promise<MetricStatistics>; runs: Runs }) {
  /** One pass over the run's records. */
  async function gather(organizationId: string, run: StoredRun) {
    const gathered = new Map(run.metrics.map(({ metricVersionId }) => [metricVersionId, { values: [] as number[], failed: 0 }]));
    for await (const { scores, failures } of store.records.listValues(organizationId, run.id)) {
      for (const { metricVersionId, value, isPending } of scores)
        if (value !== null && !isPending) gathered.get(metricVersionId)?.values.push(Number(value));
      for (const { metricVersionId } of failures) gathered.get(metricVersionId)!.failed++;
    }
    return gathered;
  }

  return {
    async summary(identity: Identity, runId: string) {
      const run = await runs.runOf(identity, runId);
      const gathered = await gather(identity.organizationId, run);
      const metrics = await Promise.all(
        run.metrics.map(async ({ metricId, metricVersionId, name, outputType, passingThreshold }) => {
          const { values, failed } = gathered.get(metricVersionId)!;
          const statistics = await summarize({ outputType, passingThreshold, values: Float64Array.from(values) });
          return { metricId, metricVersionId, name, outputType, failed, ...statistics };
        }),
      );
      return { runId, metrics };
    },
  };
}
