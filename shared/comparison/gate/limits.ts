/** A share from 0 to 1, or a percentage as "90%". */
export type Share = number | string;

/** So many, or a part of those that are expected, as "5%". */
export type Allowance = number | string;

/**
 * The limits in addition to "not worse". Those of rates and regressions are in the metric's own
 * unit: 0.05 of a pass rate is five points of a hundred.
 */
export interface Limits {
  minPassRate?: Share | undefined;
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

/** A share, and an allowance, as the refusal of another value names it. */
export const shareForms = 'a share from 0 to 1 such as 0.9, or a percentage such as "90%"';
export const allowanceForms = 'a count such as 3, or a percentage such as "5%"';

export function isShare(value: unknown): value is Share {
  if (typeof value === 'number') return value >= 0 && value <= 1;
  return typeof value === 'string' && percentForm.test(value) && shareOf(value) <= 1;
}

export const isAllowance = (value: unknown): value is Allowance =>
  typeof value === 'number' ? Number.isInteger(value) && value >= 0 : isShare(value);

/** How many an allowance lets pass. */
export const allowedOf = (allowance: Allowance, expected: number): number =>
  typeof allowance === 'number' ? allowance : Math.floor(shareOf(allowance) * expected + rounding);

/** "90%" is 0.9. */
export const shareOf = (share: Share): number =>
  typeof share === 'number' ? share : Number(percentForm.exec(share)![1]) / 100;
