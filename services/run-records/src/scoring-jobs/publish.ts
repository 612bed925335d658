import { judgedRecordsMax, scoring } from '@assay/contracts/scoring';
import type { Streams } from '@assay/runtime/bus/streams';
import { serviceIdentity } from '@assay/runtime/signature';
import type { StoredRun } from '../store/runs.ts';
import type { Store } from '../store.ts';

/** Records in one job. */
const recordsMax = 500;
/**
 * A record that waited this long is swept although the queue is busy: its job must have been lost.
 */
export const patienceMs = 15 * 60_000;

export interface PendingRecords {
  organizationId: string;
  runId: string;
  recordIds: string[];
  /** The time at which a client asked for a retry. */
  retriedAt?: Date | undefined;
}

/**
 * Publishes jobs for the metrics without a judge, and others for each judge model, so that a slow
 * model delays nothing else.
 */
export function createPublish({
  streams,
  store,
  admit,
}: {
  streams: Streams;
  store: Store;
  /** Which records judges may be asked about now, those among these and others. */
  admit: (organizationId: string, run: StoredRun, recordIds: string[]) => Promise<string[]>;
}) {
  async function publishScored({ organizationId, runId, recordIds }: PendingRecords) {
    const identity = serviceIdentity(organizationId);
    for (const ids of slicesOf(recordIds, recordsMax))
      await streams.publishJob(scoring, 'scoreRecords', identity, { runId, recordIds: ids });
  }

  async function publishJudged(
    { organizationId, runId, recordIds, retriedAt }: PendingRecords,
    { run, models }: { run: StoredRun; models: Set<string> },
  ) {
    const admitted = await admit(organizationId, run, recordIds);
    await putOffHeld(organizationId, run, { recordIds, admitted });
    const retry = retriedAt && { retriedAt: retriedAt.toISOString() };
    const identity = serviceIdentity(organizationId);
    for (const ids of slicesOf(admitted, judgedRecordsMax)) {
      for (const model of models) {
        const job = { runId, recordIds: ids, model, ...retry };
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
    await store.overdue.putOff(organizationId, held, later, judged);
  }

  return async function publish(pending: PendingRecords): Promise<void> {
    const { organizationId, runId, recordIds } = pending;
    const run = await store.runs.find(organizationId, runId);
    // Resuming a run publishes all its pending records. The records of a deleted run are removed
    // before the sweep finds them.
    if (!run || run.isPaused)
      return store.overdue.putOff(organizationId, recordIds, new Date(Date.now() + patienceMs));
    const scored = run.metrics.filter(({ isScoredByService }) => isScoredByService);
    const models = new Set(
      scored.flatMap(({ evalModelName }) => (evalModelName === null ? [] : [evalModelName])),
    );
    await Promise.all([
      scored.some(({ evalModelName }) => evalModelName === null) && publishScored(pending),
      models.size > 0 && publishJudged(pending, { run, models }),
    ]);
  };
}

function* slicesOf(ids: string[], most: number): Iterable<string[]> {
  for (let from = 0; from < ids.length; from += most) yield ids.slice(from, from + most);
}
