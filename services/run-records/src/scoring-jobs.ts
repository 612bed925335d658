import { scoring } from '@assay/contracts/scoring';
import type { Log } from '@assay/runtime/log';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Streams } from '@assay/runtime/streams';
import type { Store } from './store.ts';

/** Records in one job. */
const recordsMax = 500;
/** How long records of one run are gathered into one job. */
const gatherMs = 20;
const overdueMax = 20_000;
/** A record that waited this long is swept although the queue is busy: its job must have been lost. */
const patienceMs = 15 * 60_000;

/**
 * The scoring service's jobs. Publishing one is an optimisation: what is pending stands in the records, and the sweep publishes again
 * whatever has waited too long, so the bus can be emptied and nothing is lost.
 */
export function createScoringJobs({
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
  const gathering = new Map<string, { organizationId: string; runId: string; recordIds: string[] }>();
  let sweeping: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function publish({
    organizationId,
    runId,
    recordIds,
  }: {
    organizationId: string;
    runId: string;
    recordIds: string[];
  }): Promise<void> {
    for (let from = 0; from < recordIds.length; from += recordsMax) {
      const job = { runId, recordIds: recordIds.slice(from, from + recordsMax) };
      await streams.publishJob(scoring, 'scoreRecords', serviceIdentity(organizationId), job).catch((error) => {
        log.warn({ err: error, runId }, 'a scoring job was not published; the sweep will');
      });
    }
  }

  function queue(organizationId: string, runId: string, recordIds: string[]): void {
    const gathered = gathering.get(runId);
    if (gathered) {
      gathered.recordIds.push(...recordIds);
      return;
    }
    gathering.set(runId, { organizationId, runId, recordIds: [...recordIds] });
    setTimeout(() => {
      const job = gathering.get(runId)!;
      gathering.delete(runId);
      void publish(job);
    }, gatherMs);
  }

  async function sweep(): Promise<void> {
    const isBusy = (await streams.backlog(scoring, 'scoreRecords')) > 0;
    const now = new Date(Date.now() - (isBusy ? patienceMs : 0));
    const overdue = await store.records.takeOverdue({ now, limit: overdueMax });
    const byRun = new Map<string, { organizationId: string; runId: string; recordIds: string[] }>();
    for (const { organizationId, runId, id } of overdue) {
      const job = byRun.get(runId) ?? { organizationId, runId, recordIds: [] };
      job.recordIds.push(id);
      byRun.set(runId, job);
    }
    for (const job of byRun.values()) await publish(job);
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
