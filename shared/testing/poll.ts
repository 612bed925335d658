/** The longest wait on the busiest machine that the tests run on. */
const timeoutMs = 300_000;

/**
 * Asks until the answer is neither undefined nor false, for up to five minutes. The error of a
 * time-out names `what`. No test says how long that is: a shorter deadline of its own fails only
 * where the machine is busy.
 */
export function poll<Answer>(what: string, ask: Ask<Answer>): Promise<Answer> {
  return pollAtMost(timeoutMs, what, ask);
}

type Ask<Answer> = () => Promise<Answer | undefined | false> | Answer | undefined | false;

/** The same, where a time-out is no failure but an answer. */
export async function pollAtMost<Answer>(
  timeoutMs: number,
  what: string,
  ask: Ask<Answer>,
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

/**
 * Asks less often after a long wait, and so leaves the processor to the awaited work: a test takes
 * an eighth longer at most.
 */
const pauseMs = (waitedMs: number): number => Math.min(250, Math.max(20, waitedMs / 8));
