import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Dependencies } from '../dependencies.ts';

/** Records deleted at once. */
const batch = 1000;

export type Deletion = ReturnType<typeof createDeletion>;

/** A deleted run is hidden at once, and removed in the background. */
export function createDeletion({
  store,
  ask,
  now,
}: Pick<Dependencies, 'store' | 'now'> & { ask: Pick<Dependencies['ask'], 'results'> }) {
  /**
   * Deletes the records of a hidden or expired run and all that belongs to them, batch by batch. After
   * an interruption it continues with the rest.
   */
  async function* deleteRecords(organizationId: string, runId: string): AsyncGenerator<void> {
    for (;;) {
      const ids = await store.records.listIds(organizationId, {
        runId,
        isPending: false,
        after: undefined,
        limit: batch,
      });
      if (ids.length === 0) break;
      // Found by their records, so they go first.
      await store.annotations.deleteOfRecords(organizationId, ids);
      await store.records.deleteHidden(organizationId, ids);
      yield;
    }
    yield* store.payloads.deleteOfRun(organizationId, runId);
    await store.labelDraws.deleteOfRun(organizationId, runId);
    await ask.results.forgetRun(serviceIdentity(organizationId), { runId });
    await store.runs.deleteCounts(organizationId, runId);
  }

  return {
    async deleteRun({ organizationId }: Identity, runId: string): Promise<{ success: true }> {
      if (!(await store.runs.hide(organizationId, runId, now()))) throw notFound('run', runId);
      return { success: true };
    },

    /** The runs of a deleted project are not there from now on. */
    async forgetProject({ organizationId }: Identity, projectId: string): Promise<void> {
      await store.transaction(() => store.runs.hideOfProject(organizationId, projectId, now()));
    },

    deleteRecords,

    /** The same, with the results that are kept of an expired run. */
    async *deleteAll(organizationId: string, runId: string): AsyncGenerator<void> {
      yield* deleteRecords(organizationId, runId);
      await store.runResults.deleteOfRun(organizationId, runId);
    },
  };
}
