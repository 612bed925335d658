import { LRUCache } from 'lru-cache';

/**
 * Records of a metric version in a row on which its code ran out of time, after which it is left
 * alone for a while.
 */
const timeoutsMax = 20;
const leftAloneMs = 60_000;
/** Metric versions that are remembered. */
const knownMax = 10_000;

export type RunawayCode = ReturnType<typeof createRunawayCode>;

/**
 * Tells code that never ends from code that is slow once: it costs its organization's other records
 * their time.
 */
export function createRunawayCode(now: () => Date) {
  const known = new LRUCache<string, { timeouts: number; lastAtMs: number }>({ max: knownMax });

  return {
    /**
     * Returns the message that replaces the evaluation of the next records. Undefined: the code may
     * run.
     */
    reason(metricVersionId: string): string | undefined {
      const found = known.get(metricVersionId);
      if (found && now().getTime() - found.lastAtMs > leftAloneMs) known.delete(metricVersionId);
      if (!found || found.timeouts < timeoutsMax || !known.has(metricVersionId)) return undefined;
      return `the code was not run: it had run out of time on ${timeoutsMax} records in a row; retry the run in a minute`;
    },
    note(metricVersionId: string, isTimeout: boolean): void {
      if (!isTimeout) return void known.delete(metricVersionId);
      known.set(metricVersionId, {
        timeouts: (known.get(metricVersionId)?.timeouts ?? 0) + 1,
        lastAtMs: now().getTime(),
      });
    },
  };
}
