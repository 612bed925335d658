const triesMax = 7;

/**
 * Retries for half a minute, so that judgements that were paid for survive a short outage of the
 * database or run-records.
 */
export async function submitWithRetry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === triesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    }
  }
}
