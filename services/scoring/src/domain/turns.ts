/**
 * A few turns at once for each name; who comes when all are taken waits, in the order of coming. Resolves with what gives the turn back,
 * or with undefined when none came free in time.
 */
export function createTurns({ each }: { each: number }) {
  const taken = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  function giveBack(name: string): void {
    const [next] = waiting.get(name) ?? [];
    const left = taken.get(name)! - 1;
    if (next) next();
    else if (left === 0) taken.delete(name);
    else taken.set(name, left);
  }

  return {
    enter(name: string, waitMs: number): Promise<(() => void) | undefined> {
      const leave = () => giveBack(name);
      const count = taken.get(name) ?? 0;
      if (count < each) {
        taken.set(name, count + 1);
        return Promise.resolve(leave);
      }
      const queue = waiting.get(name) ?? new Set();
      waiting.set(name, queue);
      return new Promise((resolve) => {
        const end = (turn: (() => void) | undefined) => {
          clearTimeout(timer);
          queue.delete(take);
          if (queue.size === 0) waiting.delete(name);
          resolve(turn);
        };
        const take = () => end(leave);
        const timer = setTimeout(() => end(undefined), waitMs);
        queue.add(take);
      });
    },
  };
}
