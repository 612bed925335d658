import type { Identity } from '@assay/contracts/define';
import { createBatchLoader } from '@assay/runtime/concurrency/batch-loader';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../dependencies.ts';

/**
 * Testcases remembered to exist. Past it, those of the testset that was least recently used are
 * forgotten.
 */
const knownMax = 200_000;

/**
 * Knows which testcases exist. Remembers a testcase until its deletion is announced, and asks for
 * ids that are wanted at the same time in one question: so a record costs no question on a warm
 * path.
 */
export function createKnownTestcases({ ask }: Pick<Dependencies, 'ask'>) {
  const known = new LRUCache<string, Set<string>>({
    maxSize: knownMax,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });
  const lookUps = new Map<string, (id: string) => Promise<boolean>>();

  const lookUpIn = (identity: Identity, testsetId: string | null, scope: string) =>
    createBatchLoader<string, boolean>(async (ids) => {
      lookUps.delete(scope);
      const existing = new Set((await ask.testcases.existing(identity, { testsetId, ids })).ids);
      remember(scope, existing);
      return ids.map((id) => existing.has(id));
    });

  function remember(scope: string, ids: Set<string>): void {
    const remembered = known.get(scope) ?? new Set();
    for (const id of ids) remembered.add(id);
    // The cache weighs a new entry only.
    known.delete(scope);
    known.set(scope, remembered);
  }

  return {
    forget: () => known.clear(),
    /** Is this a testcase of the testset, or, without one, of the organization? */
    async isThere(identity: Identity, testsetId: string | null, id: string): Promise<boolean> {
      const scope = `${identity.organizationId}/${testsetId ?? ''}`;
      if (known.get(scope)?.has(id)) return true;
      const lookUp = lookUps.get(scope) ?? lookUpIn(identity, testsetId, scope);
      lookUps.set(scope, lookUp);
      return lookUp(id);
    },
  };
}

export type KnownTestcases = ReturnType<typeof createKnownTestcases>;
