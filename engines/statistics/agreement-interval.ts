import { drawBinomial } from './binomial.ts';
import type { Interval } from './interval.ts';
import { upperProportion } from './proportions.ts';
import { createRandom, defaultSeed, type Random } from './random.ts';

const resamplesMax = 10_000;
const resamplesMin = 1000;
/** Ratings that all resamples draw together, where each is drawn by itself. */
const drawsMax = 100_000_000;
/** Up to this many distinct pairs, how often each is drawn is drawn instead. */
const countedPairsMax = 256;

/** The ratings of two raters, those of one thing at the same place; booleans as 0 and 1. */
export interface RatedPairs {
  first: ArrayLike<number>;
  second: ArrayLike<number>;
}

/**
 * Both compare with chance: it pairs each rater's own ratings (`kappa`, with quadratic weights), or
 * all ratings together (`alpha`, with the interval metric). Of booleans, kappa is the same with any
 * weights.
 */
export type AgreementMeasure = 'kappa' | 'alpha';

/**
 * The interval of Cohen's kappa or Krippendorff's alpha of two raters: the percentiles of the
 * statistic over resamples of the rated things (Efron, Nonparametric standard errors and confidence
 * intervals, Canadian J. Statist. 9, 1981; for kappa Klar, Lipsitz, Parzen and Leong, The
 * Statistician 51, 2002). Where the raters never differ no resample does, so the share of things on
 * which they would differ is taken from its exact binomial bound, and each such difference to be as
 * large as the scale. Null where the statistic is undefined in more resamples than the level lets
 * out: nearly all ratings are the same. The same ratings in the same order give the same interval.
 */
export function agreementInterval(
  pairs: RatedPairs,
  {
    measure,
    range,
    level = 0.95,
    seed = defaultSeed,
  }: { measure: AgreementMeasure; range: number; level?: number; seed?: number },
): Interval | null {
  if (pairs.first.length === 0) return null;
  const counted = countPairs(pairs);
  const whole = newMoments();
  for (const { first, second, count } of counted) add(whole, first, second, count);
  const expected = expectedDistance(whole, measure);
  if (expected <= 0) return null;
  if (whole.distances === 0) {
    const differing = upperProportion({ successes: 0, trials: whole.count, level });
    return { low: Math.max(-1, 1 - (differing * range ** 2) / expected), high: 1, level };
  }
  const random = createRandom({ seed });
  const resample =
    counted.length <= countedPairsMax
      ? () => drawCounts(counted, whole.count, random)
      : drawEach(counted, whole.count, random);
  const resamples =
    counted.length <= countedPairsMax
      ? resamplesMax
      : Math.max(resamplesMin, Math.min(resamplesMax, Math.floor(drawsMax / whole.count)));
  const values: number[] = [];
  for (let i = 0; i < resamples; i++) {
    const drawn = resample();
    const chance = expectedDistance(drawn, measure);
    if (chance > 0) values.push(1 - drawn.distances / drawn.count / chance);
  }
  if (values.length < resamples * level) return null;
  values.sort((one, other) => one - other);
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.max(0, Math.ceil(values.length * share) - 1))]!;
  return { low: at((1 - level) / 2), high: at((1 + level) / 2), level };
}

interface CountedPair {
  first: number;
  second: number;
  count: number;
}

/** The distinct pairs, in the order in which they first occur. */
function countPairs({ first, second }: RatedPairs): CountedPair[] {
  const counted = new Map<string, CountedPair>();
  const origin = first[0]!;
  for (let i = 0; i < first.length; i++) {
    const key = `${first[i]}/${second[i]}`;
    const known = counted.get(key);
    if (known) known.count++;
    // From one of the ratings, so that no large number hides how little they differ.
    else counted.set(key, { first: first[i]! - origin, second: second[i]! - origin, count: 1 });
  }
  return [...counted.values()];
}

/** Sums over rated pairs, from which both statistics follow. */
interface Moments {
  count: number;
  firsts: number;
  seconds: number;
  /** Of the squares of all ratings. */
  squares: number;
  /** Of the squared differences. */
  distances: number;
}

const newMoments = (): Moments => ({
  count: 0,
  firsts: 0,
  seconds: 0,
  squares: 0,
  distances: 0,
});

function add(moments: Moments, first: number, second: number, count: number): void {
  moments.count += count;
  moments.firsts += count * first;
  moments.seconds += count * second;
  moments.squares += count * (first * first + second * second);
  moments.distances += count * (first - second) ** 2;
}

/** Squares that come this near to none, as a part of them, are a rounding error. */
const noSpread = 1e-12;

/** The mean squared difference of two ratings that have nothing to do with each other. */
function expectedDistance(
  { count, firsts, seconds, squares }: Moments,
  measure: AgreementMeasure,
): number {
  const expected =
    measure === 'kappa'
      ? squares / count - (2 * firsts * seconds) / count ** 2
      : (2 * (2 * count * squares - (firsts + seconds) ** 2)) / (2 * count * (2 * count - 1));
  return expected <= (squares / count) * noSpread ? 0 : expected;
}

/**
 * A multinomial draw as a chain of binomial ones: the same distribution as pair by pair, at a cost
 * that does not grow with them.
 */
function drawCounts(counted: readonly CountedPair[], count: number, random: Random): Moments {
  const drawn = newMoments();
  let [toDraw, behind] = [count, count];
  for (const pair of counted) {
    if (toDraw === 0) break;
    const times = drawBinomial({ trials: toDraw, probability: pair.count / behind, random });
    add(drawn, pair.first, pair.second, times);
    toDraw -= times;
    behind -= pair.count;
  }
  return drawn;
}

/** Draws the pairs one by one. */
function drawEach(counted: readonly CountedPair[], count: number, random: Random): () => Moments {
  const each = counted.flatMap((pair) => Array.from({ length: pair.count }, () => pair));
  const words = new Uint32Array(count);
  const scale = count / 2 ** 32;
  return () => {
    random.fill(words);
    const drawn = newMoments();
    for (let i = 0; i < count; i++) {
      const { first, second } = each[(words[i]! * scale) | 0]!;
      add(drawn, first, second, 1);
    }
    return drawn;
  };
}
