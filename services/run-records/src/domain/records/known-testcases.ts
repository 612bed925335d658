import type { Identity } from '@assay/contracts/define';
import { createBatchLoader } from '@assay/runtime/batch-loader';
import type { Dependencies } from '../dependencies.ts';

/** Testcases remembered to exist; past it, all are forgotten and asked for again. */
const knownMax = 200_000;

/**
 * Knows which testcases exist. Remembers a testcase until its deletion is announced, and asks for ids that are wanted at the same time in
 * one question: so a record costs no question on a warm path.
 */
export function createKnownTestcases({ ask }: Pick<Dependencies, 'ask'>) {
  const known = new Map<string, Set<string>>();
  const lookUps = new Map<string, (id: string) => Promise<boolean>>();
  let knownCount = 0;

  const lookUpIn = (identity: Identity, testsetId: string | null, scope: string) =>
    createBatchLoader<string, boolean>(async (ids) => {
      lookUps.delete(scope);
      const existing = new Set((await ask.testcases.existing(identity, { testsetId, ids })).ids);
      remember(scope, existing);
      return ids.map((id) => existing.has(id));
    });

  function remember(scope: string, ids: Set<string>): void {
    knownCount += ids.size;
    if (knownCount > knownMax) forget();
    const before = known.get(scope) ?? new Set();
    for (const id of ids) before.add(id);
    known.set(scope, before);
  }

  function forget(): void {
    known.clear();
    knownCount = 0;
  }

  return {
    forget,
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
