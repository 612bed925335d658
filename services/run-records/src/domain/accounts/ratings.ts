import type { OutputType } from '@assay/contracts/metrics';
import { aggregate } from '@assay/evaluators/aggregate';
import type { ScoreStates, StoredScore } from './score-states.ts';

/** A score that carries a value. */
export type Rating = Pick<StoredScore, 'userId' | 'source'> & { value: boolean | number };

/** The fields of a score that are read where only its value matters. */
export type ScoreValue = Pick<StoredScore, 'metricVersionId' | 'userId' | 'source' | 'value' | 'isPending'>;

/** The ratings of a record by metric version. */
export function ratingsOf(scores: readonly ScoreValue[]): Map<string, Rating[]> {
  const ratings = new Map<string, Rating[]>();
  for (const { metricVersionId, userId, source, value, isPending } of scores) {
    if (value === null || isPending) continue;
    const rating = { userId, source, value };
    const known = ratings.get(metricVersionId);
    if (known) known.push(rating);
    else ratings.set(metricVersionId, [rating]);
  }
  return ratings;
}

/**
 * The one value of a metric version on a record, of the ratings that people or the service gave it. None as long as annotators are missing:
 * a value that their scores may still turn would make a summary depend on who was quick.
 */
export function finalValue(
  ratings: readonly Rating[],
  { metricVersionId, outputType, awaited }: { metricVersionId: string; outputType: OutputType } & Pick<ScoreStates, 'awaited'>,
): boolean | number | undefined {
  return ratings.length === 0 || awaited.includes(metricVersionId)
    ? undefined
    : aggregate(
        outputType,
        ratings.map(({ value }) => value),
      );
}
