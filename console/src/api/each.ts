/** Does something to each of several things, at most so many at once; ends at the first failure. */
export async function eachOf<Item>(
  items: readonly Item[],
  { atOnce }: { atOnce: number },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // One iterator for all: each takes the next item when it is done with the one before.
  const waiting = items.values();
  const takeNext = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, takeNext));
}
