import { jobPairsMax, scoring } from '@assay/contracts/scoring';
import type { Streams } from '@assay/runtime/bus/streams';
import { createDueWork } from '@assay/runtime/concurrency/due-work';
import type { Log } from '@assay/runtime/log';
import type { IsSuspended } from '@assay/runtime/organization-suspensions';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Store } from './store.ts';

/** One that waited this long is swept although the queue is busy: its jobs must have been lost. */
const patienceMs = 15 * 60_000;

/**
 * Publishes the jobs of pairwise comparisons. A job is a hint (ADR 5): the judgements hold
 * the open questions, and the sweep publishes again those that have waited too long.
 */
export function createPairwiseJobs({
  streams,
  store,
  isSuspended,
  log,
  sweepEveryMs,
}: {
  streams: Streams;
  store: Store;
  isSuspended: IsSuspended;
  log: Log;
  sweepEveryMs: number;
}) {
  /** What is being published, each with its organization. */
  const publishing = new Map<Promise<void>, string>();

  async function publish(
    organizationId: string,
    comparisonId: string,
    retriedAt?: Date,
  ): Promise<void> {
    const comparison = await store.pairwise.find(organizationId, comparisonId);
    if (!comparison) return;
    const pending = await store.pairwise.listPending(organizationId, comparisonId);
    const identity = serviceIdentity(organizationId);
    for (const judgementIds of slicesByRuns(pending))
      await streams.publishJob(scoring, 'judgePairs', identity, {
        comparisonId,
        judgementIds,
        model: comparison.model,
        ...(retriedAt && { retriedAt: retriedAt.toISOString() }),
      });
  }

  /** Publishes as soon as the organization has room, which the caller does not wait for. */
  function begin(organizationId: string, comparisonId: string, retriedAt?: Date): void {
    const published = publish(organizationId, comparisonId, retriedAt)
      .catch((error) =>
        log.warn(
          { err: error, comparisonId },
          'jobs of a pairwise comparison were not published; the sweep will',
        ),
      )
      .finally(() => publishing.delete(published));
    publishing.set(published, organizationId);
  }

  const isPublishing = (organizationId: string): boolean =>
    [...publishing.values()].includes(organizationId);

  /** Publishes one comparison of an organization again. */
  async function sweep(organizationId: string): Promise<boolean> {
    if (isPublishing(organizationId)) return false;
    const isBusy = (await streams.backlog(scoring, 'judgePairs', organizationId)) > 0;
    const now = Date.now();
    const comparisonId = await store.pairwise.takeOverdue(organizationId, {
      before: new Date(now - (isBusy ? patienceMs : 0)),
      // Nothing is put off so long: the clock was set back since.
      beyond: new Date(now + 2 * patienceMs),
    });
    if (comparisonId === undefined) return false;
    begin(organizationId, comparisonId);
    log.info({ comparisonId }, 'published jobs of a pairwise comparison again');
    return true;
  }

  const sweeping = createDueWork({
    organizations() {
      const now = Date.now();
      const beyond = new Date(now + 2 * patienceMs);
      return store.pairwise.overdueOrganizations({ before: new Date(now), beyond });
    },
    work: sweep,
    isSuspended,
    failure: 'the sweep will be tried again',
    log,
    everyMs: sweepEveryMs,
  });

  return {
    queue: begin,
    start: sweeping.start,
    async stop(): Promise<void> {
      await sweeping.stop();
      await Promise.all(publishing.keys());
    },
  };
}

/** Ids of a job each, all of one pair of runs: their records are read together. */
function* slicesByRuns(pending: { id: string; runs: [number, number] }[]): Iterable<string[]> {
  const byRuns = new Map<string, string[]>();
  for (const { id, runs } of pending) {
    const key = runs.join('/');
    byRuns.set(key, byRuns.get(key) ?? []);
    byRuns.get(key)!.push(id);
  }
  for (const ids of byRuns.values())
    for (let from = 0; from < ids.length; from += jobPairsMax)
      yield ids.slice(from, from + jobPairsMax);
}
