import type { Identity } from '@assay/contracts/define';
import type { Run } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';
import type { Requeue } from './requeue.ts';
import type { Runs } from './runs.ts';

/** Pauses and resumes the scoring of a run. */
export function createPause({
  store,
  queueScoring,
  runs,
  requeue,
}: Pick<Dependencies, 'store' | 'queueScoring'> & { runs: Runs; requeue: Requeue }) {
  return {
    async pause(identity: Identity, runId: string): Promise<Run> {
      await runs.runOf(identity, runId);
      await store.runs.update(identity.organizationId, runId, { isPaused: true });
      return runs.get(identity, runId);
    },

    async resume(identity: Identity, runId: string): Promise<Run> {
      const { organizationId } = identity;
      await runs.runOf(identity, runId);
      await store.runs.update(organizationId, runId, { isPaused: false });
      // Whether anything is pending is known; to look for it in a million records that have nothing
      // takes seconds.
      const { pending } = (await store.runs.countsOf(organizationId, [runId])).get(runId)!;
      if (pending === 0) return runs.get(identity, runId);
      for await (const ids of requeue.recordsOf(organizationId, runId, { isPending: true }))
        queueScoring(organizationId, runId, ids);
      return runs.get(identity, runId);
    },
  };
}
