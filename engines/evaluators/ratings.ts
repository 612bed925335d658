import { aggregate } from './aggregate.ts';
import type { OutputType } from './evaluation.ts';

/** A score that carries a value, and who gave it. */
export interface Rating {
  userId: string;
  source: 'ai' | 'heuristic' | 'human';
  value: boolean | number;
}

/** A score of a record, with or without a value. */
export interface RatedScore extends Omit<Rating, 'value'> {
  metricVersionId: string;
  value: boolean | number | null;
  /** Given to a person without a value: still missing. */
  isPending?: true;
}

/** The ratings of a record by metric version. */
export function ratingsOf(scores: readonly RatedScore[]): Map<string, Rating[]> {
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
 * The one value of a metric version on a record, of the ratings that people or the service gave it.
 * None as long as annotators are missing: a value that their scores may still turn would make a
 * summary depend on who was quick.
 */
export function finalValue(
  ratings: readonly Rating[],
  {
    metricVersionId,
    outputType,
    awaited,
  }: { metricVersionId: string; outputType: OutputType; awaited: readonly string[] },
): boolean | number | undefined {
  return ratings.length === 0 || awaited.includes(metricVersionId)
    ? undefined
    : aggregate(
        outputType,
        ratings.map(({ value }) => value),
      );
}
