import { unavailable } from '@assay/contracts/failure';
import { createFairShare } from './fair-share.ts';
import { askersOfProcess, asOwnWork } from './organization-context.ts';

interface GroupCommitOptions<Item, Result> {
  /** The number of items that an item counts as, if it stands for several. */
  itemsOf?: (item: Item) => number;
  /** Items and bytes in one commit; a single one may have more. */
  itemsMax: number;
  bytesMax: number;
  /** Commits under way at once. */
  commitsMax: number;
  /** The same while several organizations ask for anything; `commitsMax` by default. */
  commitsBesideOthers?: number;
  /**
   * Bytes of one organization that may wait, with a reserve for the others; past it, new ones are
   * refused, or wait for room.
   */
  waitingBytesMax: number;
  bytesOf: (item: Item) => number;
  organizationOf: (item: Item) => string;
  /** Commits all items of a group. Returns their results in order. */
  commit: (items: Item[]) => Promise<Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  organizationId: string;
  bytes: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Commits items that arrive together in one group. The first item goes at once. Items that arrive
 * while `commitsMax` commits are in progress wait, and go as one group with the next commit: so
 * under load items share the cost of a commit, and a single item does not wait.
 * @throws SERVICE_UNAVAILABLE when more bytes wait than may.
 */
export function createGroupCommit<Item, Result>({
  itemsMax,
  bytesMax,
  commitsMax,
  commitsBesideOthers = commitsMax,
  waitingBytesMax,
  bytesOf,
  organizationOf,
  itemsOf = () => 1,
  commit,
}: GroupCommitOptions<Item, Result>) {
  const waiting: Waiting<Item, Result>[] = [];
  const underWay = new Set<Promise<void>>();
  const waitingBytes = createFairShare(waitingBytesMax);

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
    const group = waiting.splice(0, count);
    for (const { organizationId, bytes } of group) waitingBytes.giveBack(organizationId, bytes);
    return group;
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
    const most = askersOfProcess.areSeveral() ? commitsBesideOthers : commitsMax;
    while (waiting.length > 0 && underWay.size < most) {
      const commitment = asOwnWork(() => commitGroup(takeGroup())).finally(() => {
        underWay.delete(commitment);
        startCommits();
      });
      underWay.add(commitment);
    }
  }

  const push = (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(item);
      const organizationId = organizationOf(item);
      waiting.push({ item, organizationId, bytes, resolve, reject });
      waitingBytes.take(organizationId, bytes);
      startCommits();
    });

  return {
    add(item: Item): Promise<Result> {
      if (waiting.length > 0 && !waitingBytes.hasRoom(organizationOf(item), bytesOf(item)))
        return Promise.reject(unavailable('More waits to be stored than can be held.'));
      return push(item);
    },
    /**
     * Waits for room instead of refusing the item: back-pressure for a caller that can hold its
     * items.
     */
    async addWhenThereIsRoom(item: Item): Promise<Result> {
      while (waiting.length > 0 && !waitingBytes.hasRoom(organizationOf(item), bytesOf(item)))
        await Promise.race(underWay);
      return push(item);
    },
    /** Resolves when nothing waits and nothing is under way. */
    async drain(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
