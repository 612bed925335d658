/** So many, or a part of those that are expected, as "5%". */
export type Allowance = number | string;

/**
 * The limits in addition to "not worse". Those of rates and regressions are in the metric's own
 * unit: 0.05 of a pass rate is five points of a hundred.
 */
export interface Limits {
  minPassRate?: number | undefined;
  /** With `minPassRate`: a testcase passes where so many of its records pass. */
  minPasses?: number | undefined;
  maxRegression?: number | undefined;
  maxErrors?: Allowance | undefined;
  /** Of the scores of each metric and run. */
  allowMissing?: Allowance | undefined;
}

/** How sentences name the candidate, and the options that set limits. */
export interface Voice {
  candidate: string;
  options: Record<keyof Limits, string>;
}

/** Differences of means are sums of fractions: 0.7 − 0.8 comes out a little below −0.1. */
export const rounding = 1e-9;

const percentForm = /^(\d+(?:\.\d+)?)\s*%$/;

/** Whether a text or number is an allowance. */
export function isAllowance(value: unknown): value is Allowance {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0;
  return typeof value === 'string' && percentForm.test(value) && shareOf(value) <= 1;
}

/** How many an allowance lets pass. */
export const allowedOf = (allowance: Allowance, expected: number): number =>
  typeof allowance === 'number' ? allowance : Math.floor(shareOf(allowance) * expected + rounding);

const shareOf = (percent: string): number => Number(percentForm.exec(percent)![1]) / 100;
