import { scoring } from '@assay/contracts/scoring';
import type { Streams } from '@assay/runtime/bus/streams';
import { createDueWork } from '@assay/runtime/concurrency/due-work';
import type { Log } from '@assay/runtime/log';
import type { IsSuspended } from '@assay/runtime/organization-suspensions';
import { createPublish, type PendingRecords, patienceMs } from './scoring-jobs/publish.ts';
import type { StoredRun } from './store/runs.ts';
import type { Store } from './store.ts';

/** How long records of one run are gathered into one job. */
const gatherMs = 20;
/**
 * Records of an organization that wait here for room in its queue; further ones are left to the
 * sweep.
 */
const waitingMax = 20_000;
/** What is swept in one turn of an organization. */
const sweptMax = { records: 5_000, runs: 100 };
/** Due before all others, however busy the queue is. */
const atOnce = new Date(0);

/**
 * Publishes the scoring service's jobs. A job is an optimisation: the records hold their pending
 * scores, and the sweep publishes again the records that have waited too long. So the bus can be
 * emptied and nothing is lost.
 */
export function createScoringJobs({
  streams,
  store,
  admit,
  isSuspended,
  log,
  sweepEveryMs,
  sweepAfterMs,
}: {
  streams: Streams;
  store: Store;
  /** Which records judges may be asked about now, those among these and others. */
  admit: (organizationId: string, run: StoredRun, recordIds: string[]) => Promise<string[]>;
  isSuspended: IsSuspended;
  log: Log;
  sweepEveryMs: number;
  sweepAfterMs: number;
}) {
  const publish = createPublish({ streams, store, admit });
  const gathering = new Map<string, PendingRecords>();
  /** How many records wait here to be published, by organization. */
  const waiting = new Map<string, number>();
  const publishing = new Set<Promise<void>>();

  const waitingOf = (organizationId: string): number => waiting.get(organizationId) ?? 0;

  async function publishCounted(pending: PendingRecords): Promise<void> {
    const { organizationId, recordIds } = pending;
    waiting.set(organizationId, waitingOf(organizationId) + recordIds.length);
    await publish(pending).finally(() => {
      const left = waitingOf(organizationId) - recordIds.length;
      if (left > 0) waiting.set(organizationId, left);
      else waiting.delete(organizationId);
    });
  }

  /** Publishes as soon as the organization has room, which the caller does not wait for. */
  function begin(pending: PendingRecords): void {
    const { organizationId, runId, recordIds } = pending;
    const hasRoom = waitingOf(organizationId) + recordIds.length <= waitingMax;
    const published = (
      hasRoom ? publishCounted(pending) : store.overdue.putOff(organizationId, recordIds, atOnce)
    )
      .catch((error) =>
        log.warn({ err: error, runId }, 'scoring jobs were not published; the sweep will'),
      )
      .finally(() => publishing.delete(published));
    publishing.add(published);
  }

  function queue(
    organizationId: string,
    runId: string,
    recordIds: string[],
    retriedAt?: Date,
  ): void {
    const gathered = gathering.get(runId);
    if (gathered) {
      gathered.recordIds.push(...recordIds);
      gathered.retriedAt = retriedAt ?? gathered.retriedAt;
      return;
    }
    gathering.set(runId, { organizationId, runId, recordIds: [...recordIds], retriedAt });
    setTimeout(() => {
      const pending = gathering.get(runId)!;
      gathering.delete(runId);
      begin(pending);
    }, gatherMs);
  }

  /** Are jobs of the organization still coming, so that a record that waits may be in one of them? */
  async function isBusy(organizationId: string): Promise<boolean> {
    if (waitingOf(organizationId) > 0) return true;
    const counts = await Promise.all(
      (['scoreRecords', 'judgeRecords'] as const).map((name) =>
        streams.backlog(scoring, name, organizationId),
      ),
    );
    return counts.some((count) => count > 0);
  }

  async function sweep(organizationId: string): Promise<boolean> {
    const limit = Math.min(sweptMax.records, waitingMax - waitingOf(organizationId));
    const now = Date.now();
    const before = new Date(now - ((await isBusy(organizationId)) ? patienceMs : 0));
    // Nothing is put off so long: the clock was set back since.
    const beyond = new Date(now + 2 * patienceMs);
    const overdue =
      limit > 0 ? await store.overdue.take(organizationId, { before, beyond, limit }) : [];
    const byRun = new Map<string, PendingRecords>();
    for (const { runId, id } of overdue) {
      const pending = byRun.get(runId) ?? { organizationId, runId, recordIds: [] };
      pending.recordIds.push(id);
      byRun.set(runId, pending);
    }
    const looks = await store.runs.takeDueLooks(organizationId, {
      before: new Date(now),
      next: new Date(now + sweepAfterMs),
      limit: sweptMax.runs,
    });
    for (const runId of looks)
      if (!byRun.has(runId)) byRun.set(runId, { organizationId, runId, recordIds: [] });
    for (const pending of byRun.values()) begin(pending);
    if (overdue.length > 0) log.info({ records: overdue.length }, 'published scoring jobs again');
    return overdue.length === sweptMax.records || looks.length === sweptMax.runs;
  }

  const sweeping = createDueWork({
    async organizations() {
      const now = new Date();
      const [records, runs] = await Promise.all([
        store.overdue.organizations({
          before: now,
          beyond: new Date(now.getTime() + 2 * patienceMs),
        }),
        store.runs.dueLookOrganizations({
          before: now,
          next: new Date(now.getTime() + sweepAfterMs),
        }),
      ]);
      return [...new Set([...records, ...runs])];
    },
    work: sweep,
    isSuspended,
    failure: 'the sweep will be tried again',
    log,
    everyMs: sweepEveryMs,
  });

  return {
    queue,
    start: sweeping.start,
    async stop(): Promise<void> {
      await sweeping.stop();
      await Promise.all(publishing);
    },
  };
}
