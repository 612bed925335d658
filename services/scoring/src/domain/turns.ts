interface Waiter {
  organizationId: string;
  take: () => void;
}

interface Model {
  /** Turns taken, by organization. */
  taken: Map<string, number>;
  waiting: Set<Waiter>;
}

/**
 * A few turns at once for each model: `each` for one organization, and one more for the others. Whoever comes when all are taken waits; the
 * organization with fewest turns is next, then who came first. Resolves with what gives the turn back, or with undefined when none came free
 * in time.
 */
export function createTurns({ each }: { each: number }) {
  const models = new Map<string, Model>();

  const heldBy = ({ taken }: Model, organizationId: string): number => taken.get(organizationId) ?? 0;
  const isFree = (model: Model, organizationId: string): boolean =>
    heldBy(model, organizationId) < each && [...model.taken.values()].reduce((sum, count) => sum + count, 0) <= each;

  function take(name: string, model: Model, organizationId: string): () => void {
    model.taken.set(organizationId, heldBy(model, organizationId) + 1);
    return () => {
      const left = heldBy(model, organizationId) - 1;
      if (left === 0) model.taken.delete(organizationId);
      else model.taken.set(organizationId, left);
      giveOn(model);
      if (model.taken.size === 0 && model.waiting.size === 0) models.delete(name);
    };
  }

  function giveOn(model: Model): void {
    const able = [...model.waiting].filter(({ organizationId }) => isFree(model, organizationId));
    const fewest = Math.min(...able.map(({ organizationId }) => heldBy(model, organizationId)));
    able.find(({ organizationId }) => heldBy(model, organizationId) === fewest)?.take();
  }

  return {
    enter(name: string, organizationId: string, waitMs: number): Promise<(() => void) | undefined> {
      const model = models.get(name) ?? { taken: new Map<string, number>(), waiting: new Set<Waiter>() };
      models.set(name, model);
      if (isFree(model, organizationId)) return Promise.resolve(take(name, model, organizationId));
      return new Promise((resolve) => {
        const end = (turn: (() => void) | undefined) => {
          clearTimeout(timer);
          model.waiting.delete(waiter);
          resolve(turn);
        };
        const waiter: Waiter = { organizationId, take: () => end(take(name, model, organizationId)) };
        const timer = setTimeout(() => end(undefined), waitMs);
        model.waiting.add(waiter);
      });
    },
  };
}
