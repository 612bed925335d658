import type { Identity } from '@assay/contracts/define';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { FailedScore } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Requeue } from './requeue.ts';
import type { Runs } from './runs.ts';

/** The scores of a run that failed for good: their list, and their retry. */
export function createFailures({
  store,
  now,
  runs,
  requeue,
}: Pick<Dependencies, 'store' | 'now'> & { runs: Runs; requeue: Requeue }) {
  return {
    async list(identity: Identity, runId: string, { limit, after }: PageRequest) {
      const { expired } = await runs.shownRunOf(identity, runId);
      if (expired) return { items: [], next: null };
      const [fromId, afterMetric] = after?.split('/') ?? [];
      const records = await store.records.listFailed(identity.organizationId, {
        runId,
        fromId,
        limit: limit + 2,
      });
      const failures = records
        .flatMap((record) =>
          sorted(record).map((failure) => ({
            recordId: record.id,
            ...failure,
            at: failure.at.toISOString(),
          })),
        )
        .filter(
          ({ recordId, metricVersionId }) => recordId !== fromId || metricVersionId > afterMetric!,
        );
      const items = failures.slice(0, limit);
      const last = items.at(-1);
      return {
        items,
        next: failures.length > limit ? `${last!.recordId}/${last!.metricVersionId}` : null,
      } satisfies Page<unknown>;
    },

    /**
     * Makes all failed scores again. A judge that is held back because it fails is asked at once.
     */
    async retry(identity: Identity, runId: string): Promise<{ queued: number }> {
      const run = await runs.runOf(identity, runId);
      return {
        queued: await requeue.queueFailed(identity.organizationId, run, {
          isMeant: () => true,
          retriedAt: now(),
        }),
      };
    },
  };
}

const sorted = ({ failures }: { failures: FailedScore[] }) =>
  [...failures].sort((a, b) => (a.metricVersionId < b.metricVersionId ? -1 : 1));
