import { jobPairsMax, scoring } from '@assay/contracts/scoring';
import type { Streams } from '@assay/runtime/bus/streams';
import type { Log } from '@assay/runtime/log';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Store } from './store.ts';

/** Comparisons that one sweep publishes again. */
const overdueMax = 100;
/** One that waited this long is swept although the queue is busy: its jobs must have been lost. */
const patienceMs = 15 * 60_000;

/**
 * Publishes the jobs of pairwise comparisons. A job is a hint (ADR 5): the judgements hold
 * the open questions, and the sweep publishes again those that have waited too long.
 */
export function createPairwiseJobs({
  streams,
  store,
  log,
  sweepEveryMs,
}: {
  streams: Streams;
  store: Store;
  log: Log;
  sweepEveryMs: number;
}) {
  const publishing = new Set<Promise<void>>();
  let sweeping: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

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

  const tryToPublish = (
    organizationId: string,
    comparisonId: string,
    retriedAt?: Date,
  ): Promise<void> =>
    publish(organizationId, comparisonId, retriedAt).catch((error) =>
      log.warn(
        { err: error, comparisonId },
        'jobs of a pairwise comparison were not published; the sweep will',
      ),
    );

  async function sweep(): Promise<void> {
    const isBusy = (await streams.backlog(scoring, 'judgePairs')) > 0;
    const now = Date.now();
    const before = new Date(now - (isBusy ? patienceMs : 0));
    // Nothing is put off so long: the clock was set back since.
    const beyond = new Date(now + 2 * patienceMs);
    for (let swept = 0; swept < overdueMax; swept++) {
      const overdue = await store.pairwise.takeOverdue({ before, beyond });
      if (!overdue) return;
      await tryToPublish(overdue.organizationId, overdue.id);
      log.info({ comparisonId: overdue.id }, 'published jobs of a pairwise comparison again');
    }
  }

  return {
    queue(organizationId: string, comparisonId: string, retriedAt?: Date): void {
      const published = tryToPublish(organizationId, comparisonId, retriedAt).finally(() =>
        publishing.delete(published),
      );
      publishing.add(published);
    },
    start(): void {
      timer = setInterval(() => {
        sweeping ??= sweep()
          .catch((error) => log.warn({ err: error }, 'the sweep will be tried again'))
          .finally(() => {
            sweeping = undefined;
          });
      }, sweepEveryMs);
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await sweeping;
      await Promise.all(publishing);
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
