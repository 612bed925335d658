import type { MetricPairs } from '@assay/results/comparison/pairs';
import { type Goal, leastRepeats, leastTestcases, type Spread } from '@assay/results/plans/design';
import type { Random } from '@assay/statistics/random';
import type { Row } from '../report.ts';
import { drawPassOrFail } from './booleans.ts';
import { level, observe, shareRow } from './observe.ts';
import { deviationOf, shapes } from './shapes.ts';

const power = 0.8;
const bar = { atLeast: 0.77, atMost: 0.83 };
/** A boolean comparison is computed in microseconds. */
const booleanDrawsFactor = 10;

/** How often a comparison of the planned size finds the difference that it was planned for. */
export const planRows = (draws: number, random: Random): Row[] => [
  ...booleanPlans.map((plan) => booleanRow(plan, draws * booleanDrawsFactor, random)),
  ...numberPlans.map((plan) => numberRow(plan, draws, random)),
  ...repeatPlans.map((plan) => repeatRow(plan, draws, random)),
];

const booleanPlans = [
  { changeRate: 0.05, difference: 0.04 },
  { changeRate: 0.1, difference: 0.05 },
  { changeRate: 0.2, difference: 0.05 },
  { changeRate: 0.2, difference: 0.1 },
  { changeRate: 0.4, difference: 0.1 },
  { changeRate: 0.4, difference: 0.2 },
  { changeRate: 0.6, difference: 0.3 },
];

function booleanRow(
  { changeRate, difference }: (typeof booleanPlans)[number],
  draws: number,
  random: Random,
): Row {
  const spread: Spread = { isBoolean: true, between: changeRate, within: null, changeRate };
  const count = leastTestcases(spread, { difference, power, level })!;
  return foundRow({
    name: `boolean, ${changeRate * 100} % change, ${difference * 100} points: plan of ${count}`,
    draws,
    difference,
    draw: () => drawPassOrFail({ count, changed: changeRate, difference }, random),
  });
}

function foundRow({
  name,
  draws,
  difference,
  draw,
}: {
  name: string;
  draws: number;
  difference: number;
  draw: () => Omit<MetricPairs, 'level'>;
}): Row {
  const seen = observe(draws, () => ({ pairs: draw(), truth: difference }));
  return shareRow(`${name}, found`, [seen.right, draws], bar);
}

/** Shapes of differences that are not skewed, and their standard deviations a planned difference. */
const numberPlans = [0, 1, 2].flatMap((shape) =>
  [0.25, 0.5, 0.8].map((standardized) => ({ shape: shapes[shape]!, standardized })),
);

function numberRow(
  { shape, standardized }: (typeof numberPlans)[number],
  draws: number,
  random: Random,
): Row {
  const deviation = deviationOf(shape);
  const difference = standardized * deviation;
  const spread: Spread = {
    isBoolean: false,
    between: deviation ** 2,
    within: null,
    changeRate: null,
  };
  const count = leastTestcases(spread, { difference, power, level })!;
  const drawn = shape.drawAt(difference);
  return foundRow({
    name: `${shape.name}, ${standardized} standard deviations: plan of ${count}`,
    draws,
    difference,
    draw: () => ({
      outputType: shape.outputType,
      baseline: new Float64Array(count),
      candidate: Float64Array.from({ length: count }, () => drawn(random)),
    }),
  });
}

/**
 * Systems whose chance at a testcase is even between 0 and 1 − difference; the candidate's is
 * `difference` higher, plus or minus `movement` by a coin's toss.
 */
const repeatPlans = [
  { testcases: 100, difference: 0.05, movement: 0 },
  { testcases: 200, difference: 0.05, movement: 0 },
  { testcases: 200, difference: 0.05, movement: 0.05 },
  { testcases: 400, difference: 0.04, movement: 0.04 },
];

function repeatRow(
  { testcases, difference, movement }: (typeof repeatPlans)[number],
  draws: number,
  random: Random,
): Row {
  const chances = (): [number, number] => {
    const chance = random.uniform() * (1 - difference - movement);
    return [chance, chance + difference + (random.uniform() < 0.5 ? movement : -movement)];
  };
  const spread: Spread = {
    isBoolean: true,
    between: movement ** 2,
    within: varianceWithin(difference, movement),
    changeRate: null,
  };
  const goal: Goal = { difference, power, level };
  const repeats = leastRepeats(spread, testcases, goal)!;
  const passRate = (chance: number): number => {
    let passes = 0;
    for (let record = 0; record < repeats; record++) passes += Number(random.uniform() < chance);
    return passes / repeats;
  };
  return foundRow({
    name: `${testcases} testcases by chance, ${difference * 100} ± ${movement * 100} points: plan of ${repeats} repeats`,
    draws,
    difference,
    draw: () => {
      const [baseline, candidate] = [new Float64Array(testcases), new Float64Array(testcases)];
      for (let testcase = 0; testcase < testcases; testcase++) {
        const [before, after] = chances();
        baseline[testcase] = passRate(before);
        candidate[testcase] = passRate(after);
      }
      return { outputType: 'boolean', baseline, candidate };
    },
  });
}

/** The mean of p (1 − p) of both systems, by the midpoint rule. */
function varianceWithin(difference: number, movement: number): number {
  const steps = 2000;
  let sum = 0;
  for (let step = 0; step < steps; step++) {
    const chance = ((step + 0.5) / steps) * (1 - difference - movement);
    const others = [difference + movement, difference - movement].map((gain) => chance + gain);
    sum += chance * (1 - chance);
    for (const other of others) sum += (other * (1 - other)) / 2;
  }
  return sum / steps;
}
