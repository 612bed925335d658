import type { Store } from '../store.ts';

/**
 * The store, whose writes of testcases are refused while the disk of the database is nearly full.
 * Deletions and marks of deletions go on.
 */
export function withRoomOnDisk(store: Store, checkDisk: () => Promise<void>): Store {
  const checked =
    <Given extends unknown[], Result>(write: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await checkDisk();
      return write(...given);
    };
  return {
    ...store,
    writeEntries: checked(store.writeEntries),
    createMissingEntries: checked(store.createMissingEntries),
    updateTestcase: checked(store.updateTestcase),
    rewriteTestcases: checked(store.rewriteTestcases),
    restoreDeleted: checked(store.restoreDeleted),
    copyTestcases: checked(store.copyTestcases),
  };
}
