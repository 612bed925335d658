import { testcasesReadMax } from '@assay/contracts/testcases';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import type { Store, StoredTestcase } from '../store.ts';

/** Testcases that are read at once. */
const batchItemsMax = 500;

export type ReadSome = ReturnType<typeof createReadSome>;

export function createReadSome(store: Pick<Store, 'searchTestcases'>) {
  /**
   * Reads as many testcases as one request may, batch by batch, oldest first: those that match, how
   * many were read, and the last of them if others follow.
   */
  return async function* readSome(
    organizationId: string,
    testsetId: string,
    {
      matches,
      ids,
      after,
    }: {
      matches: (testcase: StoredTestcase) => boolean;
      ids?: string[] | undefined;
      after: string | undefined;
    },
  ) {
    let itemsLeft = testcasesReadMax;
    let bytesLeft = pageBytesMax;
    let last: string | null = after ?? null;
    do {
      const batch = await store.searchTestcases(organizationId, testsetId, {
        matches,
        ids,
        after: last ?? undefined,
        itemsMax: Math.min(batchItemsMax, itemsLeft),
        bytesMax: bytesLeft,
      });
      yield batch;
      last = batch.next;
      itemsLeft -= batch.read;
      bytesLeft -= batch.bytes;
    } while (last !== null && itemsLeft > 0 && bytesLeft > 0);
  };
}
