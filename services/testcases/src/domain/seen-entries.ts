import { createHash } from 'node:crypto';

/** The entries with keys that one import may have, where they have to be remembered. */
export const keyedEntriesMax = 500_000;

/** The keys of an import's entries so far, as hashes of 16 bytes: keys may be long. */
export function createSeenKeys() {
  const indexes = new Map<string, number>();
  return {
    size: () => indexes.size,
    /** Remembers an entry's key; returns the number of the entry that had it before. */
    add(key: string, index: number): number | undefined {
      const hash = createHash('sha256').update(key).digest().toString('latin1', 0, 16);
      const before = indexes.get(hash);
      if (before === undefined) indexes.set(hash, index);
      return before;
    },
  };
}
