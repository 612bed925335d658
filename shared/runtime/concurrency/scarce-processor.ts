import { waitedForProcessorMs } from './processor-time.ts';

/** A processor is scarce for a thread that waits for one during this share of the time. */
const scarceShare = 0.2;
/** How long an answer holds, in ms: to ask the system takes some microseconds. */
const askedAgainMs = 20;

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

/** Whether this thread has waited for a processor much of the time lately. */
export const isProcessorScarce = createScarcity({
  waitedMs: waitedForProcessorMs,
  nowMs: () => performance.now(),
});
