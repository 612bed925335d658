import type { OutputType } from '@assay/contracts/metrics';
import type { Rating } from '@assay/evaluators/ratings';
import { cohensKappa, krippendorffsAlpha } from '@assay/statistics/agreement';

/** Cohen's kappa of two raters; with quadratic weights for int. */
const kappaOf = (
  outputType: OutputType,
  first: (boolean | number)[],
  second: (boolean | number)[],
): number | null =>
  cohensKappa({ first, second, weights: outputType === 'int' ? 'quadratic' : 'none' });

/**
 * The agreement between people over the records that at least two of them scored, even if further
 * annotators are missing. `rated` has the ratings of each of these records. Kappa is given for two
 * people, and not for float, whose values are seldom the same.
 */
export function annotatorAgreement(outputType: OutputType, rated: readonly (readonly Rating[])[]) {
  const userIds = new Set<string>();
  for (const ratings of rated) for (const { userId } of ratings) userIds.add(userId);
  const annotators = [...userIds].sort();
  const ratingsBy = (annotator: string) =>
    rated.map((ratings) => ratings.find(({ userId }) => userId === annotator)!.value);
  const [first, second] = annotators;
  return {
    records: rated.length,
    annotators: annotators.length,
    kappa:
      annotators.length === 2 && outputType !== 'float'
        ? kappaOf(outputType, ratingsBy(first!), ratingsBy(second!))
        : null,
    alpha: krippendorffsAlpha(rated.map((ratings) => ratings.map(({ value }) => Number(value)))),
  };
}
