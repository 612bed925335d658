import type { Identity } from '@assay/contracts/define';
import type { StoredRun } from '../../store/runs.ts';
import { finalValue, type Rating, ratingsOf } from '../accounts/ratings.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';
import { annotatorAgreement } from './annotator-agreement.ts';

export function createSummaries({ store, summarize, runs }: Pick<Dependencies, 'store' | 'summarize'> & { runs: Runs }) {
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
