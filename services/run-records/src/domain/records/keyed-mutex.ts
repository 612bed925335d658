export type KeyedMutex = ReturnType<typeof createKeyedMutex>;

/**
 * A mutex for each name. Lines of one upload that name the same record are stored one after the
 * other, in their order.
 */
export function createKeyedMutex() {
  const underWay = new Map<string, Promise<unknown>>();
  return async function inOrder<Result>(
    names: string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    const earlier = new Set(names.flatMap((name) => underWay.get(name) ?? []));
    const working = earlier.size === 0 ? work() : Promise.allSettled(earlier).then(work);
    for (const name of names) underWay.set(name, working);
    try {
      return await working;
    } finally {
      for (const name of names) if (underWay.get(name) === working) underWay.delete(name);
    }
  };
}
