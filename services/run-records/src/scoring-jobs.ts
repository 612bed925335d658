import { judgedRecordsMax, scoring } from '@assay/contracts/scoring';
import type { Streams } from '@assay/runtime/bus/streams';
import type { Log } from '@assay/runtime/log';
import { serviceIdentity } from '@assay/runtime/signature';
import type { StoredRun } from './store/runs.ts';
import type { Store } from './store.ts';

/** Records in one job. */
const recordsMax = 500;
interface PendingRecords {
  organizationId: string;
  runId: string;
  recordIds: string[];
  /** The time at which a client asked for a retry. */
  retriedAt?: Date | undefined;
}

/** How long records of one run are gathered into one job. */
const gatherMs = 20;
const overdueMax = 20_000;
const looksMax = 100;
/**
 * A record that waited this long is swept although the queue is busy: its job must have been lost.
 */
const patienceMs = 15 * 60_000;

/**
 * Publishes the scoring service's jobs. A job is an optimisation: the records hold their pending
 * scores, and the sweep publishes again the records that have waited too long. So the bus can be
 * emptied and nothing is lost.
 */
export function createScoringJobs({
  streams,
  store,
  admit,
  log,
  sweepEveryMs,
  sweepAfterMs,
}: {
  streams: Streams;
  store: Store;
  /** Which records judges may be asked about now, those among these and others. */
  admit: (organizationId: string, run: StoredRun, recordIds: string[]) => Promise<string[]>;
  log: Log;
  sweepEveryMs: number;
  sweepAfterMs: number;
}) {
  const gathering = new Map<string, PendingRecords>();
  let sweeping: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /**
   * Publishes jobs for the metrics without a judge, and others for each judge model, so that a slow
   * model delays nothing else.
   */
  async function publish({
    organizationId,
    runId,
    recordIds,
    retriedAt,
  }: PendingRecords): Promise<void> {
    const run = await store.runs.find(organizationId, runId);
    // Resuming a run publishes all its pending records. The records of a deleted run are removed
    // before the sweep finds them.
    if (!run || run.isPaused)
      return store.records.putOffSweep(
        organizationId,
        recordIds,
        new Date(Date.now() + patienceMs),
      );
    const scored = run.metrics.filter(({ isScoredByService }) => isScoredByService);
    const models = new Set(
      scored.flatMap(({ evalModelName }) => (evalModelName === null ? [] : [evalModelName])),
    );
    const identity = serviceIdentity(organizationId);
    if (scored.some(({ evalModelName }) => evalModelName === null)) {
      for (const ids of slicesOf(recordIds, recordsMax))
        await streams.publishJob(scoring, 'scoreRecords', identity, { runId, recordIds: ids });
    }
    if (models.size === 0) return;
    const admitted = await admit(organizationId, run, recordIds);
    await putOffHeld(organizationId, run, { recordIds, admitted });
    for (const ids of slicesOf(admitted, judgedRecordsMax)) {
      for (const model of models) {
        const job = {
          runId,
          recordIds: ids,
          model,
          ...(retriedAt && { retriedAt: retriedAt.toISOString() }),
        };
        await streams.publishJob(scoring, 'judgeRecords', identity, job);
      }
    }
  }

  /**
   * Records that wait for judges alone are swept again once a run that may stop early comes to
   * them.
   */
  async function putOffHeld(
    organizationId: string,
    run: StoredRun,
    { recordIds, admitted }: { recordIds: string[]; admitted: string[] },
  ): Promise<void> {
    if (!run.stopping) return;
    const released = new Set(admitted);
    const held = recordIds.filter((id) => !released.has(id));
    if (held.length === 0) return;
    const judged = run.metrics
      .filter(({ evalType }) => evalType === 'ai')
      .map(({ metricVersionId }) => metricVersionId);
    const later = new Date(Date.now() + patienceMs);
    await store.records.putOffSweep(organizationId, held, later, judged);
  }

  const tryToPublish = (job: PendingRecords): Promise<void> =>
    publish(job).catch((error) =>
      log.warn({ err: error, runId: job.runId }, 'scoring jobs were not published; the sweep will'),
    );

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
      const job = gathering.get(runId)!;
      gathering.delete(runId);
      void tryToPublish(job);
    }, gatherMs);
  }

  async function sweep(): Promise<void> {
    const waiting = await Promise.all(
      (['scoreRecords', 'judgeRecords'] as const).map((name) => streams.backlog(scoring, name)),
    );
    const isBusy = waiting.some((jobs) => jobs > 0);
    const now = Date.now();
    const before = new Date(now - (isBusy ? patienceMs : 0));
    // Nothing is put off so long: the clock was set back since.
    const beyond = new Date(now + 2 * patienceMs);
    const overdue = await store.records.takeOverdue({ before, beyond, limit: overdueMax });
    const byRun = new Map<string, PendingRecords>();
    for (const { organizationId, runId, id } of overdue) {
      const job = byRun.get(runId) ?? { organizationId, runId, recordIds: [] };
      job.recordIds.push(id);
      byRun.set(runId, job);
    }
    const looks = await store.runs.takeDueLooks({
      before: new Date(now),
      next: new Date(now + sweepAfterMs),
      limit: looksMax,
    });
    for (const { organizationId, runId } of looks)
      if (!byRun.has(runId)) byRun.set(runId, { organizationId, runId, recordIds: [] });
    for (const job of byRun.values()) await tryToPublish(job);
    if (overdue.length > 0) log.info({ records: overdue.length }, 'published scoring jobs again');
  }

  return {
    queue,
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
    },
  };
}

function* slicesOf(ids: string[], most: number): Iterable<string[]> {
  for (let from = 0; from < ids.length; from += most) yield ids.slice(from, from + most);
}
