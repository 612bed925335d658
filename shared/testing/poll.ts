/** Asks until the answer is not undefined or false, for up to `timeoutMs`; fails with `what` was awaited. */
export async function poll<Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  timeoutMs = 30_000,
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

/** Who has waited for long asks less often, and leaves the processor to what it waits for. */
const pauseMs = (waitedMs: number): number => Math.min(250, Math.max(20, waitedMs / 20));
