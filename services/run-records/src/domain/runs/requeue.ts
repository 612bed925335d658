import type { Envelope } from '../../store/record.ts';
import type { StoredRun } from '../../store/runs.ts';
import {
  type FailedScore,
  type ScoreStates,
  scoreStatesOf,
  withPending,
} from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';

/** Records changed in one transaction, and told to the scoring service in one job. */
export const batchMax = 500;

/**
 * Returns a record's new score states and the number of scores that will be made, or undefined to
 * leave the record as it is.
 */
export type Change = (record: Envelope) => { states: ScoreStates; queued: number } | undefined;

export type Requeue = ReturnType<typeof createRequeue>;

/** Marks scores of a run's records as pending, and has the scoring service make them. */
export function createRequeue({
  store,
  queueScoring,
}: Pick<Dependencies, 'store' | 'queueScoring'>) {
  /**
   * Changes records batch by batch and queues each batch once it is committed. Returns the number
   * of scores that will be made.
   */
  async function queueChanged(
    organizationId: string,
    run: StoredRun,
    {
      batches,
      change,
      retriedAt,
    }: { batches: AsyncIterable<string[]>; change: Change; retriedAt?: Date | undefined },
  ): Promise<number> {
    const runId = run.id;
    let queued = 0;
    for await (const ids of batches) {
      // By record, because the change runs again when its transaction does.
      const queuedOf = new Map<string, number>();
      const changed = await store.records.changeScoreStates(organizationId, {
        run,
        ids,
        change: (record) => {
          const changed = change(record);
          queuedOf.set(record.id, changed?.queued ?? 0);
          return changed?.states;
        },
      });
      for (const count of queuedOf.values()) queued += count;
      if (changed.length > 0) queueScoring(organizationId, runId, changed, retriedAt);
    }
    return queued;
  }

  async function* failedRecords(organizationId: string, runId: string): AsyncIterable<string[]> {
    let fromId: string | undefined;
    for (;;) {
      const failed = await store.records.listFailed(organizationId, {
        runId,
        fromId,
        limit: batchMax,
      });
      if (failed.length === 0) return;
      yield failed.map(({ id }) => id);
      if (failed.length < batchMax) return;
      fromId = `${failed.at(-1)!.id}~`;
    }
  }

  /**
   * Makes failed scores pending again. `retriedAt` is the time of a person's request, on which an
   * open circuit lets a probe through.
   */
  async function queueFailed(
    organizationId: string,
    run: StoredRun,
    { isMeant, retriedAt }: { isMeant: (failure: FailedScore) => boolean; retriedAt?: Date },
  ): Promise<number> {
    const change: Change = (record) => {
      const failures = record.failures.filter(isMeant);
      if (failures.length === 0) return undefined;
      const states = failures.reduce<ScoreStates>(
        (sum, { metricVersionId }) => withPending(sum, metricVersionId),
        scoreStatesOf(record),
      );
      return { states, queued: failures.length };
    };
    return queueChanged(organizationId, run, {
      batches: failedRecords(organizationId, run.id),
      change,
      retriedAt,
    });
  }

  /** The ids of a run's records in batches, of all or of those that have something pending. */
  async function* recordsOf(
    organizationId: string,
    runId: string,
    { isPending }: { isPending: boolean },
  ): AsyncIterable<string[]> {
    let after: string | undefined;
    for (;;) {
      const ids = await store.records.listIds(organizationId, {
        runId,
        isPending,
        after,
        limit: batchMax,
      });
      if (ids.length === 0) return;
      yield ids;
      after = ids.at(-1);
    }
  }

  return { queueChanged, queueFailed, recordsOf };
}
