import { unavailable } from '@assay/contracts/failure';

interface GroupCommitOptions<Item, Result> {
  /** Items and bytes in one commit. */
  itemsMax: number;
  bytesMax: number;
  /** Commits under way at once. */
  commitsMax: number;
  /** Bytes that may wait; past it, new ones are refused. */
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
  commit,
}: GroupCommitOptions<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = [];
  const underWay = new Set<Promise<void>>();
  let waitingBytes = 0;

  function takeGroup(): Waiting<Item, Result>[] {
    let count = 0;
    let bytes = 0;
    while (count < waiting.length && count < itemsMax && (count === 0 || bytes + waiting[count]!.bytes <= bytesMax))
      bytes += waiting[count++]!.bytes;
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

  return {
    add(item: Item): Promise<Result> {
      const bytes = bytesOf(item);
      if (waitingBytes > 0 && waitingBytes + bytes > waitingBytesMax)
        return Promise.reject(unavailable('More records wait to be stored than can be held.'));
      return new Promise((resolve, reject) => {
        waiting.push({ item, bytes, resolve, reject });
        waitingBytes += bytes;
        startCommits();
      });
    },
    /** Resolves when nothing waits and nothing is under way. */
    async drain(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
