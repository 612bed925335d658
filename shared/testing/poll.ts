/**
 * Asks until the answer is neither undefined nor false, for up to `timeoutMs`. The error of a
 * time-out names `what`.
 */
export async function poll<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  timeoutMs = 120_000,
): Promise<Answer> {
  const startedAt = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs(waitedMs)));
  }
}

/** Asks less often after a long wait, and so leaves the processor to the awaited work. */
const pauseMs = (waitedMs: number): number => Math.min(250, Math.max(20, waitedMs / 20));
