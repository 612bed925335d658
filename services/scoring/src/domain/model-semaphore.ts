import { createFairSemaphore, type FairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { LRUCache } from 'lru-cache';

/** Models whose semaphores are kept. */
const modelsMax = 1000;

/**
 * Creates a semaphore for each model: an organization has at most `each` permits of it, and all
 * together have one more. `withPermit` returns the result of the work, or undefined if no permit
 * was free within `waitMs`.
 */
export function createModelSemaphore({ each }: { each: number }) {
  const models = new LRUCache<string, FairSemaphore>({ max: modelsMax });

  function semaphoreOf(model: string): FairSemaphore {
    const known =
      models.get(model) ?? createFairSemaphore({ permits: each + 1, permitsEach: each });
    models.set(model, known);
    return known;
  }

  return async function withPermit<Result>(
    { model, organizationId, waitMs }: { model: string; organizationId: string; waitMs: number },
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), waitMs);
    const begin = () => {
      clearTimeout(timer);
      return work();
    };
    try {
      return await semaphoreOf(model)(organizationId, begin, { signal: waiting.signal });
    } catch (error) {
      if (waiting.signal.aborted) return undefined;
      throw error;
    }
  };
}
