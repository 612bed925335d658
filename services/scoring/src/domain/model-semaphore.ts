interface Waiter {
  organizationId: string;
  acquireNow: () => void;
}

interface Model {
  /** How often each organization holds it. */
  held: Map<string, number>;
  waiting: Set<Waiter>;
}

/**
 * A semaphore for each model, which an organization holds at most `each` times and all together `each` + 1 times. Of those that wait, the
 * organization that holds it least often is next, then the first to come. `acquire` resolves with the function that releases it, or with
 * undefined after `waitMs`.
 */
export function createModelSemaphore({ each }: { each: number }) {
  const models = new Map<string, Model>();

  const countOf = ({ held }: Model, organizationId: string): number => held.get(organizationId) ?? 0;
  const isFree = (model: Model, organizationId: string): boolean =>
    countOf(model, organizationId) < each && [...model.held.values()].reduce((sum, count) => sum + count, 0) <= each;

  function acquireNow(name: string, model: Model, organizationId: string): () => void {
    model.held.set(organizationId, countOf(model, organizationId) + 1);
    return () => {
      const left = countOf(model, organizationId) - 1;
      if (left === 0) model.held.delete(organizationId);
      else model.held.set(organizationId, left);
      admitNext(model);
      if (model.held.size === 0 && model.waiting.size === 0) models.delete(name);
    };
  }

  function admitNext(model: Model): void {
    const able = [...model.waiting].filter(({ organizationId }) => isFree(model, organizationId));
    const fewest = Math.min(...able.map(({ organizationId }) => countOf(model, organizationId)));
    able.find(({ organizationId }) => countOf(model, organizationId) === fewest)?.acquireNow();
  }

  return {
    acquire(name: string, organizationId: string, waitMs: number): Promise<(() => void) | undefined> {
      const model = models.get(name) ?? { held: new Map<string, number>(), waiting: new Set<Waiter>() };
      models.set(name, model);
      if (isFree(model, organizationId)) return Promise.resolve(acquireNow(name, model, organizationId));
      return new Promise((resolve) => {
        const end = (release: (() => void) | undefined) => {
          clearTimeout(timer);
          model.waiting.delete(waiter);
          resolve(release);
        };
        const waiter: Waiter = { organizationId, acquireNow: () => end(acquireNow(name, model, organizationId)) };
        const timer = setTimeout(() => end(undefined), waitMs);
        model.waiting.add(waiter);
      });
    },
  };
}
