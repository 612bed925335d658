/**
 * Agreement of two raters beyond chance, 1 − observed / expected disagreement, on the ratings at
 * the same place in both lists (booleans count as 0 and 1); null without ratings, and where chance
 * alone would agree always (both gave one and the same rating). Cohen, Educ. Psychol. Meas. 20
 * (1960); with quadratic weights Psychol. Bull. 70 (1968), a disagreement being the squared
 * distance.
 */
export function cohensKappa({
  first,
  second,
  weights,
}: {
  first: ArrayLike<boolean | number>;
  second: ArrayLike<boolean | number>;
  weights: 'none' | 'quadratic';
}): number | null {
  if (first.length === 0) return null;
  const ratings = { first: Array.from(first, Number), second: Array.from(second, Number) };
  const { observed, expected } =
    weights === 'none' ? mismatches(ratings) : squaredDistances(ratings);
  return expected === 0 ? null : 1 - observed / expected;
}

interface Ratings {
  first: number[];
  second: number[];
}

function mismatches({ first, second }: Ratings) {
  const count = first.length;
  const secondCounts = countRatings(second);
  let chance = 0;
  for (const [rating, times] of countRatings(first))
    chance += times * (secondCounts.get(rating) ?? 0);
  const differing = first.filter((rating, i) => rating !== second[i]).length;
  return { observed: differing / count, expected: (count * count - chance) / (count * count) };
}

function countRatings(ratings: number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const rating of ratings) counts.set(rating, (counts.get(rating) ?? 0) + 1);
  return counts;
}

/**
 * Over all count² pairs of a first and a second rating, Σ (a − b)² = count (Σa² + Σb²) − 2 Σa Σb.
 */
function squaredDistances({ first, second }: Ratings) {
  const count = first.length;
  const origin = first[0]!;
  const [a, b] = [moments(first, origin), moments(second, origin)];
  const observed = first.reduce((sum, rating, i) => sum + (rating - second[i]!) ** 2, 0) / count;
  return {
    observed,
    expected: (a.squares + b.squares) / count - (2 * a.sum * b.sum) / (count * count),
  };
}

function moments(values: readonly number[], origin: number) {
  let sum = 0;
  let squares = 0;
  for (const value of values) {
    sum += value - origin;
    squares += (value - origin) ** 2;
  }
  return { sum, squares };
}

/**
 * Krippendorff's alpha with the interval metric. `units` are the rated things, each with its
 * ratings (null: not rated); a unit with fewer than two ratings says nothing and is left out. Null
 * where nothing can be paired, and where all ratings are the same. Krippendorff, Computing
 * Krippendorff's alpha-reliability (2011).
 */
export function krippendorffsAlpha(units: readonly (readonly (number | null)[])[]): number | null {
  let origin: number | undefined;
  let within = 0;
  const all = { count: 0, sum: 0, squares: 0 };
  for (const unit of units) {
    const ratings = unit.filter((rating) => rating !== null);
    if (ratings.length < 2) continue;
    origin ??= ratings[0]!;
    const { sum, squares } = moments(ratings, origin);
    within += squaredPairs({ count: ratings.length, sum, squares }) / (ratings.length - 1);
    all.count += ratings.length;
    all.sum += sum;
    all.squares += squares;
  }
  if (all.squares === 0) return null;
  return 1 - within / all.count / (squaredPairs(all) / (all.count * (all.count - 1)));
}

/** Σ over ordered pairs (x − y)² = 2 (count Σx² − (Σx)²). */
const squaredPairs = ({
  count,
  sum,
  squares,
}: {
  count: number;
  sum: number;
  squares: number;
}): number => Math.max(0, 2 * (count * squares - sum * sum));
