import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { RunOutline } from '@assay/contracts/run-records';
import { finalValue, type Rating, ratingsOf } from '@assay/evaluators/ratings';
import { annotatorAgreement } from './annotator-agreement.ts';
import type { Dependencies } from './dependencies.ts';
import { findRun } from './runs.ts';

export type Summaries = ReturnType<typeof createSummaries>;

export function createSummaries({
  runRecords,
  summarize,
}: Pick<Dependencies, 'runRecords' | 'summarize'>) {
  /**
   * Reads the run's records once: a value per record and metric version, and the ratings of records
   * that several people scored.
   */
  async function gather(identity: Identity, run: RunOutline) {
    const gathered = new Map(
      run.metrics.map((metric) => [
        metric.metricVersionId,
        { metric, values: [] as number[], failed: 0, rated: [] as Rating[][] },
      ]),
    );
    for await (const record of runRecords.streamRatings(identity, {
      runId: run.id,
      withVotes: false,
    })) {
      for (const [metricVersionId, ratings] of ratingsOf(record.ratings)) {
        const entry = gathered.get(metricVersionId);
        if (!entry) continue;
        const value = finalValue(ratings, {
          metricVersionId,
          outputType: entry.metric.outputType,
          awaited: record.awaited,
        });
        if (value !== undefined) entry.values.push(Number(value));
        if (ratings.length > 1) entry.rated.push(ratings);
      }
      // A metric version that joined the run since the run was read is in no summary yet.
      for (const metricVersionId of record.failed) {
        const entry = gathered.get(metricVersionId);
        if (entry) entry.failed++;
      }
    }
    return [...gathered.values()];
  }

  async function summaryOf(identity: Identity, run: RunOutline) {
    const metrics = await Promise.all(
      (await gather(identity, run)).map(async ({ metric, values, failed, rated }) => {
        const { metricId, metricVersionId, name, evalType, outputType, passingThreshold } = metric;
        const statistics = await summarize({
          outputType,
          passingThreshold,
          values: Float64Array.from(values),
        });
        const agreement =
          metric.annotators > 1 ? { agreement: annotatorAgreement(outputType, rated) } : {};
        return {
          metricId,
          metricVersionId,
          name,
          evalType,
          outputType,
          passingThreshold,
          failed,
          ...statistics,
          ...agreement,
        };
      }),
    );
    return { runId: run.id, metrics };
  }

  return {
    summaryOf,
    async summary(identity: Identity, runId: string) {
      const run = await findRun(runRecords, identity, runId);
      if (!run) throw notFound('run', runId);
      return summaryOf(identity, run);
    },
  };
}
