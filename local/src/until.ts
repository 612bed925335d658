import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks every 25 ms until the condition holds: true; false at the deadline or when the signal
 * aborts.
 */
export async function until(options: {
  condition: () => boolean | Promise<boolean>;
  timeoutMs: number;
  signal?: AbortSignal;
}): Promise<boolean> {
  const { condition, timeoutMs, signal } = options;
  const deadline = performance.now() + timeoutMs;
  while (!signal?.aborted) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await pause(25);
  }
  return false;
}
