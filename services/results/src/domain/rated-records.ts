import type { Identity } from '@assay/contracts/define';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { ErrorsCounting } from '@assay/contracts/results';
import type { RatedRecord, RunOutline } from '@assay/contracts/run-records';
import { isNumeric, worstOf } from '@assay/contracts/scale';
import type { Dependencies } from './dependencies.ts';
import { errorsMetric } from './errors-metric.ts';
import { absentRecordsOf, type Fill, type ReadRecord, withFilledScores } from './filled-records.ts';
import { isSystemMetric, systemMetricIds } from './system-metrics.ts';

/**
 * How errors count: as the worst of each metric, not at all, or as the worst but for those that a
 * provider's limits caused, whose records are left out.
 */
export type ErrorsRule = ErrorsCounting | 'withoutLimits';

interface ReadingOptions {
  run: Pick<RunOutline, 'id' | 'errored' | 'stopping'>;
  /** The metrics in which errors count: those that the caller looks at. */
  metrics: readonly MetricVersionOutline[];
  errors: ErrorsRule;
  /** The values of unknown scores; none where it is left out. */
  fill?: Fill | undefined;
  withVotes?: boolean;
  withHashes?: boolean;
}

/** The records of a run with their values, and the metrics in which errors count. */
export interface OpenRatings {
  records: AsyncIterable<ReadRecord>;
  counting: readonly MetricVersionOutline[];
}

/**
 * Reads the values of a run's records, oldest first. A record whose system failed has the worst
 * value of each metric that nobody scored it by (contract section 5, "A system that failed is a
 * result"): whoever reads values through here counts errors like everybody else. Each record has a
 * value of the errors metric, too. With `fill`, unknown scores count as well, and the records that
 * the run lacks come last.
 */
export async function openRatings(
  runRecords: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  { run, metrics, errors, fill, withVotes = false, withHashes = false }: ReadingOptions,
): Promise<OpenRatings> {
  const counting = await metricsThatCount(runRecords, identity, { run, metrics, errors });
  async function* records(): AsyncGenerator<ReadRecord> {
    for await (const record of runRecords.streamRatings(identity, {
      runId: run.id,
      withVotes,
      withHashes,
      withMetrics: metrics.some(isSystemMetric),
    })) {
      if (errors === 'withoutLimits' && record.error?.isByLimit) continue;
      const rated = withErrorRatings(record, counting);
      yield fill ? withFilledScores(rated, { run, metrics, fill }) : rated;
    }
    if (fill) yield* absentRecordsOf({ metrics, fill });
  }
  return { records: records(), counting };
}

/** The part of the other records that must be scored for an error to count in a client's metric. */
const scoredShareMin = 0.9;

/**
 * The metrics in which errors count: in those of clients where nine in ten of the other records
 * have a score, in those of people where all have. A score that says that the metric does not apply,
 * or that does not fit it, is one.
 */
async function metricsThatCount(
  runRecords: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  { run, metrics, errors }: Pick<ReadingOptions, 'run' | 'metrics' | 'errors'>,
): Promise<MetricVersionOutline[]> {
  if (errors === 'exclude') return [];
  const scaled = metrics.filter((metric) => worstOf(metric) !== undefined);
  const given = scaled.filter(({ isScoredByService }) => !isScoredByService);
  if (given.length === 0 || !run.errored) return scaled;
  let others = 0;
  const scored = new Map(given.map(({ metricVersionId }) => [metricVersionId, 0]));
  for await (const record of runRecords.streamRatings(identity, {
    runId: run.id,
    withVotes: false,
  })) {
    if (record.error) continue;
    others += 1;
    for (const id of scoredVersionsOf(record)) {
      const count = scored.get(id);
      if (count !== undefined) scored.set(id, count + 1);
    }
  }
  return scaled.filter(({ metricVersionId, isScoredByService, evalType }) => {
    if (isScoredByService) return true;
    const share = evalType === 'human' ? 1 : scoredShareMin;
    return scored.get(metricVersionId)! >= share * others;
  });
}

function scoredVersionsOf({
  ratings,
  awaited,
  invalid = [],
  notApplicable = [],
}: RatedRecord): Set<string> {
  const versions = new Set([...invalid, ...notApplicable]);
  for (const { metricVersionId } of ratings)
    if (!awaited.includes(metricVersionId)) versions.add(metricVersionId);
  return versions;
}

/** Who gives the value of a record that has none of its own. */
const nobody = 'errored';

function withErrorRatings(
  record: RatedRecord,
  counting: readonly MetricVersionOutline[],
): RatedRecord {
  const { error } = record;
  const failed = {
    metricVersionId: errorsMetric.metricVersionId,
    userId: nobody,
    source: 'heuristic' as const,
    value: error !== undefined,
  };
  if (!error) return { ...record, ratings: [...record.ratings, failed] };
  const worst = counting
    .filter(({ metricVersionId }) => error.versions.includes(metricVersionId))
    .map((metric) => ({
      metricVersionId: metric.metricVersionId,
      userId: nobody,
      source: metric.evalType,
      value: isNumeric(metric.outputType) ? worstOf(metric)! : worstOf(metric) === 1,
    }));
  // The latency of an error says nothing of the latency of an answer.
  const own = record.ratings.filter(({ metricVersionId }) => !systemMetricIds.has(metricVersionId));
  return { ...record, ratings: [...own, failed, ...worst] };
}

/** Whether nobody scored a record by a metric version, since its system gave no answer. */
export const isErrored = ({ error }: RatedRecord, metricVersionId: string): boolean =>
  error?.versions.includes(metricVersionId) === true;
