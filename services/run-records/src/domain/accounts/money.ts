import type { RunBudget } from '@assay/contracts/run-records';

/**
 * Money is added up in billionths of a US dollar: whole numbers, so that no sum depends on its
 * order.
 */
export const nanoUsd = (usd: number): number => Math.round(usd * 1e9);

export const isSpent = (budget: RunBudget): boolean =>
  budget !== null && nanoUsd(budget.spentUsd) >= nanoUsd(budget.limitUsd);

export const usdOf = (nano: number): number => nano / 1e9;
