import { unavailable } from '@assay/contracts/failure';

interface GroupCommitOptions<Item, Result> {
  /** What an item counts as, where it stands for several. */
  itemsOf?: (item: Item) => number;
  /** Items and bytes in one commit; a single one may have more. */
  itemsMax: number;
  bytesMax: number;
  /** Commits under way at once. */
  commitsMax: number;
  /** Bytes that may wait; past it, new ones are refused, or wait for room. */
  waitingBytesMax: number;
  bytesOf: (item: Item) => number;
  /** Commits all of a group, and says what came of each, in order. */
  commit: (items: Item[]) => Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  bytes: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Commits together what arrives together. The first item goes at once; what comes while commits are under way waits and goes as one
 * group with the next, so that under load the cost of a commit is shared, and alone nothing waits.
 * @throws SERVICE_UNAVAILABLE when more waits than may.
 */
export function createGroupCommit<Item, Result>({
  itemsMax,
  bytesMax,
  commitsMax,
  waitingBytesMax,
  bytesOf,
  itemsOf = () => 1,
  commit,
}: GroupCommitOptions<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = [];
  const underWay = new Set<Promise<void>>();
  let waitingBytes = 0;

  function takeGroup(): Waiting<Item, Result>[] {
    let count = 0;
    let items = 0;
    let bytes = 0;
    for (const { item, bytes: itemBytes } of waiting) {
      if (count > 0 && (items + itemsOf(item) > itemsMax || bytes + itemBytes > bytesMax)) break;
      items += itemsOf(item);
      bytes += itemBytes;
      count++;
    }
    waitingBytes -= bytes;
    return waiting.splice(0, count);
  }

  async function commitGroup(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await commit(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  function startCommits(): void {
    while (waiting.length > 0 && underWay.size < commitsMax) {
      const commitment = commitGroup(takeGroup()).finally(() => {
        underWay.delete(commitment);
        startCommits();
      });
      underWay.add(commitment);
    }
  }

  const push = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(item);
      waiting.push({ item, bytes, resolve, reject });
      waitingBytes += bytes;
      startCommits();
    });

  return {
    add(item: Item): Promise<Result> {
      if (waitingBytes > 0 && waitingBytes + bytesOf(item) > waitingBytesMax)
        return Promise.reject(unavailable('More records wait to be stored than can be held.'));
      return push(item);
    },
    /** Back-pressure for who can hold what it has to add: it waits, and is not refused. */
    async addWhenThereIsRoom(item: Item): Promise<Result> {
      while (waitingBytes >= waitingBytesMax) await Promise.race(underWay);
      return push(item);
    },
    /** Resolves when nothing waits and nothing is under way. */
    async drain(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
