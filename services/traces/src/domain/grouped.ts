/** Gathers items by a key of each, in the order in which the keys first come. */
export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Does the work of every group, whatever becomes of the others, `atOnce` of them side by side.
 * @throws (rejects with) the first error, after the last group.
 */
export async function forEachGroup<Group>(
  groups: ReadonlyMap<string, Group>,
  work: (key: string, group: Group) => Promise<void>,
  { atOnce = 1 }: { atOnce?: number } = {},
): Promise<void> {
  const errors: unknown[] = [];
  // All workers take from the one iterator.
  const left = groups.entries();
  const workLeft = async (): Promise<void> => {
    for (const [key, group] of left)
      try {
        await work(key, group);
      } catch (error) {
        errors.push(error);
      }
  };
  await Promise.all(Array.from({ length: atOnce }, workLeft));
  if (errors.length > 0) throw errors[0];
}
