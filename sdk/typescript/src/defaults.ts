/** The values of options that are left out. */
export const defaults = { concurrency: 8, timeoutMs: 120_000, retries: 3 };
