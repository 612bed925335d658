import type { IdempotencyKey, Identity } from '@assay/contracts/define';
import { usedWithAnotherBody } from '@assay/runtime/http/failures';
import type { Dependencies } from './dependencies.ts';

/**
 * Gives a repeat of an Idempotency-Key the first answer (contract section 1). Nothing waits for a first request under way, since a result changes nothing: both are
 * computed, and the answer that is kept first is the first.
 */
export function createRememberedAnswers({ store }: Pick<Dependencies, 'store'>) {
  const replayOf = <Answer extends object>(
    { bodyHash, text }: { bodyHash: string; text: string },
    key: IdempotencyKey,
  ) => {
    if (bodyHash !== key.bodyHash) throw usedWithAnotherBody();
    return { ...(JSON.parse(text) as Answer), replayed: true };
  };

  return async <Answer extends object>(
    { organizationId }: Identity,
    key: IdempotencyKey | undefined,
    work: () => Promise<Answer>,
  ): Promise<Answer & { replayed?: boolean }> => {
    if (!key) return work();
    const known = await store.answers.find(organizationId, key.id);
    if (known) return replayOf<Answer>(known, key);
    const made = await work();
    const { answer, isFirst } = await store.answers.keepFirst(organizationId, key.id, {
      bodyHash: key.bodyHash,
      text: JSON.stringify(made),
    });
    return isFirst ? made : replayOf<Answer>(answer, key);
  };
}
