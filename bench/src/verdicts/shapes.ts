import type { MetricPairs } from '@assay/results/comparison/pairs';
import { normalCdf, normalQuantile } from '@assay/statistics/normal';
import { createRandom, type Random } from '@assay/statistics/random';

type Draw = (random: Random) => number;

/** A distribution of paired differences. */
export interface Shape {
  name: string;
  outputType: MetricPairs['outputType'];
  /** Differences whose mean is `shift`. */
  drawAt: (shift: number) => Draw;
  /** No method that does not use the ends of the scale holds its level at so few pairs. */
  isBeyondReach?: boolean;
}

export const normal = (random: Random): number => normalQuantile(random.uniform());
const exponential = (random: Random): number => -Math.log(random.uniform());

/** The share of pairs that change where most do not. */
const changedShare = 0.2;

const moved =
  (draw: Draw) =>
  (shift: number): Draw =>
  (random) =>
    draw(random) + shift;

/** Pairs that do not change stay as they are. */
const mostlyZero =
  (changed: Draw) =>
  (shift: number): Draw =>
  (random) =>
    random.uniform() < changedShare ? changed(random) + shift / changedShare : 0;

type Score = (ability: number) => number;

/** The difference of two scores whose abilities correlate by a half. */
const abilities =
  (score: Score) =>
  (shift: number): Draw => {
    const offset = offsetOf(score, shift);
    return (random) => {
      const common = normal(random);
      const ability = () => Math.SQRT1_2 * (common + normal(random));
      return score(ability() + offset) - score(ability() - offset);
    };
  };

/** How far either ability has to move, one up and one down, so that the mean difference is `shift`. */
function offsetOf(score: Score, shift: number): number {
  let [low, high] = [0, 4];
  for (let step = 0; step < 40; step++) {
    const offset = (low + high) / 2;
    if (meanScore(score, offset) - meanScore(score, -offset) < shift) low = offset;
    else high = offset;
  }
  return low;
}

/** By the midpoint rule over the quantiles of the abilities. */
function meanScore(score: Score, ability: number): number {
  const steps = 2000;
  let sum = 0;
  for (let step = 0; step < steps; step++)
    sum += score(normalQuantile((step + 0.5) / steps) + ability);
  return sum / steps;
}

/** A score from 1 to 5. */
export const intScore = (ability: number): number =>
  1 + [-1.2, -0.5, 0.2, 0.9].filter((threshold) => ability > threshold).length;
/** A score with a tail to 0. */
export const floatScore = (ability: number): number => normalCdf(ability) ** 0.3;

const lognormal =
  (sigma: number): Draw =>
  (random) =>
    0.02 * (Math.exp(sigma * normal(random)) - Math.exp(sigma ** 2 / 2));

const skewed: Draw = (random) => 0.1 * (exponential(random) - 1);
const float = { outputType: 'float' } as const;
const int = { outputType: 'int' } as const;

/** The shapes of paired differences that are simulated. */
export const shapes: readonly Shape[] = [
  { ...float, name: 'normal', drawAt: moved((random) => 0.1 * normal(random)) },
  { ...float, name: 'float judge, could be swapped', drawAt: abilities(floatScore) },
  { ...int, name: '1–5, could be swapped', drawAt: abilities(intScore) },
  {
    ...int,
    name: '1–5, rare bad failures, −4 for four 1',
    // Those that do not fail gain more.
    drawAt: (shift) => (random) =>
      random.uniform() < 0.2 ? -4 : 1 + Math.floor(shift / 0.8 + random.uniform()),
  },
  {
    ...float,
    name: 'mostly 0, else normal',
    drawAt: mostlyZero((random) => 0.1 * normal(random)),
  },
  { ...float, name: 'mostly 0, else skewed', drawAt: mostlyZero(skewed) },
  { ...float, name: 'exponential', drawAt: moved(skewed) },
  { ...float, name: 'lognormal, σ 0.5', drawAt: moved(lognormal(0.5)) },
  { ...float, name: 'lognormal, σ 1', drawAt: moved(lognormal(1)), isBeyondReach: true },
  {
    ...float,
    name: 'rare gain, 0.9 for nine −0.1',
    drawAt: moved((random) => (random.uniform() < 0.1 ? 0.9 : -0.1)),
    isBeyondReach: true,
  },
];

/** The standard deviation of a shape's differences of mean 0, from many of them. */
export function deviationOf({ drawAt }: Shape): number {
  const random = createRandom({ seed: 1 });
  const draw = drawAt(0);
  const count = 200_000;
  let squares = 0;
  for (let i = 0; i < count; i++) squares += draw(random) ** 2;
  return Math.sqrt(squares / count);
}
