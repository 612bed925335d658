/**
 * The chance that at least one of k records of a testcase passes, of which `passes` of `records`
 * did: 1 − C(records − passes, k) / C(records, k), which is unbiased for k up to `records` (Chen et
 * al., Evaluating large language models trained on code, 2021, equation 1: pass@k).
 */
export function passAtK({ passes, records, k }: RepeatedPasses): number {
  return 1 - chanceOfDraws({ marked: records - passes, total: records, draws: k });
}

/**
 * The chance that all of k records of a testcase pass: C(passes, k) / C(records, k) (Yao et al.,
 * τ-bench, 2024, section 5: pass^k).
 */
export function passHatK({ passes, records, k }: RepeatedPasses): number {
  return chanceOfDraws({ marked: passes, total: records, draws: k });
}

interface RepeatedPasses {
  passes: number;
  records: number;
  k: number;
}

/** The chance that all that are drawn, without putting back, are marked. */
function chanceOfDraws({
  marked,
  total,
  draws,
}: {
  marked: number;
  total: number;
  draws: number;
}): number {
  let chance = 1;
  for (let drawn = 0; drawn < draws && chance > 0; drawn++)
    chance *= Math.max(0, marked - drawn) / (total - drawn);
  return chance;
}

export interface VarianceComponents {
  /** The standard deviation of one testcase's records. */
  within: number;
  /** That of the testcases' true means; null with a single testcase. */
  between: number | null;
}

/**
 * Divides the spread of values into that of repeats and that of testcases: one-way analysis of
 * variance with random effects, for any number of records each (Searle, Casella and McCulloch,
 * Variance Components, 1992, section 3.6). Null where no testcase has two values. An estimate below
 * 0 is 0.
 */
export function varianceComponents(
  testcases: readonly ArrayLike<number>[],
): VarianceComponents | null {
  const sizes = testcases.map(({ length }) => length);
  const total = sum(sizes);
  const means = testcases.map((values) => sum(values) / values.length);
  const squaresWithin = sum(
    testcases.map((values, place) => squaredDistances(values, means[place]!)),
  );
  const freedomWithin = total - testcases.length;
  if (freedomWithin <= 0) return null;
  const varianceWithin = squaresWithin / freedomWithin;
  const within = Math.sqrt(varianceWithin);
  if (testcases.length < 2) return { within, between: null };
  const mean = sum(testcases.map((values) => sum(values))) / total;
  const squaresBetween = sum(means.map((each, place) => sizes[place]! * (each - mean) ** 2));
  const freedomBetween = testcases.length - 1;
  const typicalSize = (total - sum(sizes.map((size) => size * size)) / total) / freedomBetween;
  const varianceBetween = (squaresBetween / freedomBetween - varianceWithin) / typicalSize;
  return { within, between: Math.sqrt(Math.max(0, varianceBetween)) };
}

function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}

function squaredDistances(values: ArrayLike<number>, centre: number): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += (values[i]! - centre) ** 2;
  return total;
}
