import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { StoredAssignment } from '../../store/record.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';

/** Assignees of one record. */
export const assigneesMax = 200;

/** The members who are to review a record, each once. */
export function createAssignees({
  store,
  ask,
  newId,
  now,
  runs,
}: Pick<Dependencies, 'store' | 'ask' | 'newId' | 'now'> & { runs: Runs }) {
  const { transaction, records } = store;
  return {
    async list(identity: Identity, recordId: string) {
      const { record } = await runs.recordOf(identity, recordId);
      return { data: record.assignees.map((assignment) => toReply(recordId, assignment)) };
    },
    async create(identity: Identity, recordId: string, assigneeUserId: string) {
      await runs.recordOf(identity, recordId);
      const { found } = await ask.identity.isMember(identity, { userId: assigneeUserId });
      if (!found) throw invalidAt('/assigneeUserId', 'does not belong to this organization');
      return transaction(async () => {
        const { assignees } = (await runs.recordOf(identity, recordId)).record;
        const existing = assignees.find(
          (assignment) => assignment.assigneeUserId === assigneeUserId,
        );
        if (existing) return { created: false, value: toReply(recordId, existing) };
        if (assignees.length >= assigneesMax)
          throw invalidAt(
            '/assigneeUserId',
            `would be more than the ${assigneesMax} assignees that a record has`,
          );
        const assignment: StoredAssignment = {
          id: newId(),
          assigneeUserId,
          assignedByUserId: identity.userId,
          createdAt: now(),
        };
        await records.updateAssignees(identity.organizationId, recordId, [
          ...assignees,
          assignment,
        ]);
        return { created: true, value: toReply(recordId, assignment) };
      });
    },
    delete: (
      identity: Identity,
      recordId: string,
      assigneeUserId: string,
    ): Promise<{ deleted: 0 | 1 }> =>
      transaction(async () => {
        const { assignees } = (await runs.recordOf(identity, recordId)).record;
        const remaining = assignees.filter(
          (assignment) => assignment.assigneeUserId !== assigneeUserId,
        );
        if (remaining.length === assignees.length) return { deleted: 0 };
        await records.updateAssignees(identity.organizationId, recordId, remaining);
        return { deleted: 1 };
      }),
  };
}

const toReply = (recordId: string, assignment: StoredAssignment) => ({
  ...assignment,
  recordId,
  createdAt: assignment.createdAt.toISOString(),
});
