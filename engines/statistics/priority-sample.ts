/** Something that may be drawn. */
export interface Candidate {
  /** Its permanent random number, between 0 and 1. */
  random: number;
  /** How much likelier it is drawn than one with the weight 1. */
  weight: number;
}

export interface Draw {
  /** The places of the candidates that were drawn, in the order of the draw. */
  places: number[];
  /** The first rank that was not drawn; Infinity where all candidates were. */
  threshold: number;
}

/**
 * Draws some of the candidates: those with the least rank, random / weight. Each has been drawn
 * with the probability `inclusionProbability(weight, threshold)`. This is sequential Poisson
 * sampling (Ohlsson, Sequential Poisson sampling, J. Official Statistics 14, 1998) with the
 * thresholds of priority sampling, for which 1 / probability is an unbiased weight (Duffield, Lund
 * and Thorup, Priority sampling for estimation of arbitrary subset sums, J. ACM 54, 2007).
 *
 * The random numbers are permanent: another draw among the rest goes on where this one ended, and
 * draws for other purposes take the same candidates first. So a candidate that any of several draws
 * has taken was taken with the greatest of their probabilities, and one that all of several purposes
 * have taken, with the least of them.
 */
export function drawByPriority(candidates: readonly Candidate[], count: number): Draw {
  const rankOf = (place: number): number => {
    const { random, weight } = candidates[place]!;
    return random / weight;
  };
  const ranked = [...candidates.keys()].sort((one, other) => rankOf(one) - rankOf(other));
  const next = ranked[count];
  return {
    places: ranked.slice(0, count),
    threshold: next === undefined ? Infinity : rankOf(next),
  };
}

/** The probability that a candidate of this weight has a rank below the threshold. */
export const inclusionProbability = (weight: number, threshold: number): number =>
  Math.min(1, weight * threshold);

/** The threshold at which so many candidates of these weights are drawn, on average. */
export function expectedThreshold(weights: ArrayLike<number>, count: number): number {
  if (count >= weights.length) return Infinity;
  const heaviest = Float64Array.from(weights).sort().reverse();
  let others = heaviest.reduce((sum, weight) => sum + weight, 0);
  // The heaviest are certain, one after the other, until no other one is.
  for (let certain = 0; certain < heaviest.length; certain++) {
    const threshold = (count - certain) / others;
    if (heaviest[certain]! * threshold <= 1) return threshold;
    others -= heaviest[certain]!;
  }
  return Infinity;
}
