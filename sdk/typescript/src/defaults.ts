/** What is so where an option is left out. */
export const defaults = { concurrency: 8, timeoutMs: 120_000 };
