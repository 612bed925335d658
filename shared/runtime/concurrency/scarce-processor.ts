import { readFileSync } from 'node:fs';

/** A processor is scarce for a thread that waits for one during this share of the time. */
const scarceShare = 0.2;
/** How long an answer holds, in ms: to ask the system takes some microseconds. */
const askedAgainMs = 20;

/**
 * How long this thread has been ready to run and did not get a processor since it began, in ms
 * (Linux's sched-stats); undefined where the system does not tell.
 */
export function waitedForProcessorMs(): number | undefined {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * Creates a question: has this thread waited for a processor much of the time lately? Never, where
 * the system does not tell.
 */
export function createScarcity({
  waitedMs,
  nowMs,
}: {
  waitedMs: () => number | undefined;
  nowMs: () => number;
}): () => boolean {
  let askedAtMs = nowMs();
  let waitedBeforeMs = waitedMs();
  let isScarce = false;
  return () => {
    const now = nowMs();
    if (waitedBeforeMs === undefined || now - askedAtMs < askedAgainMs) return isScarce;
    const waited = waitedMs() ?? waitedBeforeMs;
    isScarce = waited - waitedBeforeMs > scarceShare * (now - askedAtMs);
    waitedBeforeMs = waited;
    askedAtMs = now;
    return isScarce;
  };
}

/** Whether this process has waited for a processor much of the time lately. */
export const isProcessorScarce = createScarcity({
  waitedMs: waitedForProcessorMs,
  nowMs: () => performance.now(),
});
