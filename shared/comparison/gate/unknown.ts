import { countOf, type MetricComparison } from '../figures.ts';
import { allowedOf, type Limits, type Voice } from './limits.ts';

type UnknownScores = NonNullable<MetricComparison['unknownScores']>;
type OfRun = UnknownScores['baseline'];

const sides = ['baseline', 'candidate'] as const;

const sumOf = ({ missing, failed, invalid }: OfRun): number => missing + failed + invalid;

/** Whether a run has scores that nobody knows. */
export const hasUnknown = ({ unknownScores }: Pick<MetricComparison, 'unknownScores'>): boolean =>
  unknownScores !== undefined && sides.some((side) => sumOf(unknownScores[side]) > 0);

/** "The candidate run lacks 3 scores (2 missing, 1 failed)" */
export function lackingSentence(unknown: UnknownScores): string {
  const said = sides.flatMap((side) => {
    const count = sumOf(unknown[side]);
    return count === 0 ? [] : [lackOf(`the ${side} run`, count, unknown[side])];
  });
  return said.join(', and ');
}

/** The same of one run, where there is no other. */
export const lackOfRun = (counts: OfRun): string => lackOf('the run', sumOf(counts), counts);

function lackOf(run: string, count: number, { missing, failed, invalid }: OfRun): string {
  const parts = Object.entries({ missing, failed, invalid })
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${number} ${name}`);
  return `${run} lacks ${countOf(count, 'score')} (${parts.join(', ')})`;
}

/** Sentences on the sides that lack more than is allowed; undefined where nothing is set. */
export function exceededOf(
  unknown: UnknownScores,
  { allowMissing }: Limits,
  { options }: Voice,
): string[] | undefined {
  if (allowMissing === undefined) return undefined;
  return sides.flatMap((side) =>
    exceeds(unknown[side], allowMissing)
      ? [
          `${lackOf(`the ${side} run`, sumOf(unknown[side]), unknown[side])}, and ${options.allowMissing} allows ${allowMissing}.`,
        ]
      : [],
  );
}

export const exceeds = (counts: OfRun, allowance: NonNullable<Limits['allowMissing']>): boolean =>
  sumOf(counts) > allowedOf(allowance, counts.expected);

export const isLacking = (counts: OfRun): boolean => sumOf(counts) > 0;
