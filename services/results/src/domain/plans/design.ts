import { plannedRepeatsMax, plannedTestcasesMax } from '@assay/contracts/results';
import {
  detectableDifference,
  leastThatReaches,
  meanPower,
  passRatePower,
} from '@assay/statistics/power';

/** How much two versions differ from testcase to testcase. */
export interface Spread {
  /** Pairs of one record each are tested by McNemar's test. */
  isBoolean: boolean;
  /** The variance of the differences; of their true means where `within` is known. */
  between: number;
  /** The variance that one record of each version adds; null where nothing shows it. */
  within: number | null;
  /** Of booleans: the share of testcases whose result changes, where it is known. */
  changeRate: number | null;
}

export interface Goal {
  difference: number;
  power: number;
  level: number;
}

interface Size {
  testcases: number;
  /** Records of each testcase in each run. */
  repeats: number;
}

/**
 * The chance that a comparison of this size finds the difference: by the mid-p McNemar test for
 * booleans with one record each, else by the quantiles of Student's t for the mean difference.
 */
export function powerOf(
  spread: Spread,
  { testcases, repeats }: Size,
  { difference, level }: Pick<Goal, 'difference' | 'level'>,
): number {
  const within = spread.within ?? 0;
  const changeRate = changeRateFor(spread, difference);
  if (spread.isBoolean && repeats === 1)
    return passRatePower({ pairs: testcases, changeRate, difference, level });
  // More changes than the pilot showed are assumed to be of testcases, which no repeats take away.
  const between = spread.isBoolean
    ? Math.max(spread.between, changeRate - difference ** 2 - within)
    : spread.between;
  const deviation = Math.sqrt(between + within / repeats);
  return meanPower({ units: testcases, deviation, difference, level });
}

/** The share of booleans that change if the pass rates differ by so much: no less than that. */
function changeRateFor({ between, within, changeRate }: Spread, difference: number): number {
  const shown = changeRate ?? between + (within ?? 0) + difference ** 2;
  return Math.min(1, Math.max(difference, shown));
}

/**
 * The fewest testcases that reach the goal with one record each; null beyond ten million. It
 * is the cheapest plan too: a repeat divides only a part of the variance by two, a new testcase all
 * of it.
 */
export const leastTestcases = (spread: Spread, goal: Goal): number | null =>
  leastThatReaches(
    goal.power,
    (testcases) => powerOf(spread, { testcases, repeats: 1 }, goal),
    plannedTestcasesMax,
  );

/** The fewest repeats with which so many testcases reach the goal; null if none do. */
export function leastRepeats(spread: Spread, testcases: number, goal: Goal): number | null {
  if (powerOf(spread, { testcases, repeats: 1 }, goal) >= goal.power) return 1;
  if (spread.within === null) return null;
  return leastThatReaches(
    goal.power,
    (repeats) => powerOf(spread, { testcases, repeats }, goal),
    plannedRepeatsMax,
  );
}

/** More than any testcases fail to find, where the scale has no end. */
const farFrom = ({ between, within }: Spread): number => 1000 * Math.sqrt(between + (within ?? 0));

/** The least difference up to `max` that so many testcases find; null if none. */
export function leastDifference(
  spread: Spread,
  testcases: number,
  { power, level, max }: Omit<Goal, 'difference'> & { max: number },
): number | null {
  if (testcases === 0) return null;
  return detectableDifference(
    power,
    (difference) => powerOf(spread, { testcases, repeats: 1 }, { difference, level }),
    spread.changeRate ?? Math.min(max, farFrom(spread)),
  );
}
