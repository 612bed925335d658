import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { StoredTag } from '../../store/record.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';

/** Tags of one record. */
const tagsMax = 200;

/** The tags of a record, each text once. */
export function createTags({
  store,
  newId,
  now,
  runs,
}: Pick<Dependencies, 'store' | 'newId' | 'now'> & { runs: Runs }) {
  const { transaction, records } = store;
  return {
    async list(identity: Identity, recordId: string) {
      const { record } = await runs.recordOf(identity, recordId);
      return { data: record.tags.map((tag) => toReply(recordId, tag)) };
    },
    create: (identity: Identity, recordId: string, text: string) =>
      transaction(async () => {
        const { tags } = (await runs.recordOf(identity, recordId)).record;
        const existing = tags.find((tag) => tag.text === text);
        if (existing) return { created: false, value: toReply(recordId, existing) };
        if (tags.length >= tagsMax)
          throw invalidAt('/text', `would be more than the ${tagsMax} tags that a record carries`);
        const tag: StoredTag = {
          id: newId(),
          text,
          source: 'user',
          userId: identity.userId,
          createdAt: now(),
        };
        await records.updateTags(identity.organizationId, recordId, [...tags, tag]);
        return { created: true, value: toReply(recordId, tag) };
      }),
    delete: (identity: Identity, recordId: string, text: string): Promise<{ deleted: 0 | 1 }> =>
      transaction(async () => {
        const { tags } = (await runs.recordOf(identity, recordId)).record;
        const remaining = tags.filter((tag) => tag.text !== text);
        if (remaining.length === tags.length) return { deleted: 0 };
        await records.updateTags(identity.organizationId, recordId, remaining);
        return { deleted: 1 };
      }),
  };
}

const toReply = (recordId: string, tag: StoredTag) => ({
  ...tag,
  recordId,
  createdAt: tag.createdAt.toISOString(),
});
