import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { StoredAssignment, StoredTag } from '../store/record.ts';
import type { Dependencies } from './dependencies.ts';
import type { Runs } from './runs.ts';

/** A record carries this many tags and assignees at most. */
const tagsMax = 200;
const assigneesMax = 200;

/** Tags and assignees: each a set on its record. */
export function createTagging({ store, ask, newId, now, runs }: Pick<Dependencies, 'store' | 'ask' | 'newId' | 'now'> & { runs: Runs }) {
  const { transaction, records } = store;
  return {
    async listTags(identity: Identity, recordId: string) {
      const { record } = await runs.recordOf(identity, recordId);
      return { data: record.tags.map((tag) => toTagReply(recordId, tag)) };
    },
    createTag: (identity: Identity, recordId: string, text: string) =>
      transaction(async () => {
        const { tags } = (await runs.recordOf(identity, recordId)).record;
        const existing = tags.find((tag) => tag.text === text);
        if (existing) return { created: false, value: toTagReply(recordId, existing) };
        if (tags.length >= tagsMax) throw invalidAt('/text', `would be more than the ${tagsMax} tags that a record carries`);
        const tag: StoredTag = { id: newId(), text, source: 'user', userId: identity.userId, createdAt: now() };
        await records.updateTags(identity.organizationId, recordId, [...tags, tag]);
        return { created: true, value: toTagReply(recordId, tag) };
      }),
    deleteTag: (identity: Identity, recordId: string, text: string): Promise<{ deleted: 0 | 1 }> =>
      transaction(async () => {
        const { tags } = (await runs.recordOf(identity, recordId)).record;
        const remaining = tags.filter((tag) => tag.text !== text);
        if (remaining.length === tags.length) return { deleted: 0 };
        await records.updateTags(identity.organizationId, recordId, remaining);
        return { deleted: 1 };
      }),

    async listAssignees(identity: Identity, recordId: string) {
      const { record } = await runs.recordOf(identity, recordId);
      return { data: record.assignees.map((assignment) => toAssignmentReply(recordId, assignment)) };
    },
    async createAssignee(identity: Identity, recordId: string, assigneeUserId: string) {
      await runs.recordOf(identity, recordId);
      const { found } = await ask.identity.isMember(identity, { userId: assigneeUserId });
      if (!found) throw invalidAt('/assigneeUserId', 'does not belong to this organization');
      return transaction(async () => {
        const { assignees } = (await runs.recordOf(identity, recordId)).record;
        const existing = assignees.find((assignment) => assignment.assigneeUserId === assigneeUserId);
        if (existing) return { created: false, value: toAssignmentReply(recordId, existing) };
        if (assignees.length >= assigneesMax)
          throw invalidAt('/assigneeUserId', `would be more than the ${assigneesMax} assignees that a record has`);
        const assignment: StoredAssignment = { id: newId(), assigneeUserId, assignedByUserId: identity.userId, createdAt: now() };
        await records.updateAssignees(identity.organizationId, recordId, [...assignees, assignment]);
        return { created: true, value: toAssignmentReply(recordId, assignment) };
      });
    },
    deleteAssignee: (identity: Identity, recordId: string, assigneeUserId: string): Promise<{ deleted: 0 | 1 }> =>
      transaction(async () => {
        const { assignees } = (await runs.recordOf(identity, recordId)).record;
        const remaining = assignees.filter((assignment) => assignment.assigneeUserId !== assigneeUserId);
        if (remaining.length === assignees.length) return { deleted: 0 };
        await records.updateAssignees(identity.organizationId, recordId, remaining);
        return { deleted: 1 };
      }),
  };
}

const toTagReply = (recordId: string, tag: StoredTag) => ({ ...tag, recordId, createdAt: tag.createdAt.toISOString() });

const toAssignmentReply = (recordId: string, assignment: StoredAssignment) => ({
  ...assignment,
  recordId,
  createdAt: assignment.createdAt.toISOString(),
});
