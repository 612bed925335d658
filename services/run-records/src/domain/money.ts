/** Money is added up in billionths of a US dollar: whole numbers, so that no sum depends on its order. */
export const nanoUsd = (usd: number): number => Math.round(usd * 1e9);

export const usdOf = (nano: number): number => nano / 1e9;
