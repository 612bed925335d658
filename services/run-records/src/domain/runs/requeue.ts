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

/** Scores of some records: those that will be made, and those that people or clients have to give. */
export interface MissingCount {
  queued: number;
  awaited: number;
}

/** Returns a record's new score states, or none to leave it as it is, and what is missing of it. */
export type Change = (record: Envelope) => MissingCount & { states: ScoreStates | undefined };

export type Requeue = ReturnType<typeof createRequeue>;

/** Marks scores of a run's records as pending, and has the scoring service make them. */
export function createRequeue({
  store,
  queueScoring,
}: Pick<Dependencies, 'store' | 'queueScoring'>) {
  /**
   * Changes records batch by batch and queues each batch once it is committed. Returns the scores
   * that are missing of all.
   */
  async function queueChanged(
    organizationId: string,
    run: StoredRun,
    {
      batches,
      change,
      retriedAt,
    }: { batches: AsyncIterable<string[]>; change: Change; retriedAt?: Date | undefined },
  ): Promise<MissingCount> {
    const runId = run.id;
    const sum: MissingCount = { queued: 0, awaited: 0 };
    for await (const ids of batches) {
      // By record, because the change runs again when its transaction does.
      const missingOf = new Map<string, MissingCount>();
      const changed = await store.records.changeScoreStates(organizationId, {
        run,
        ids,
        change: (record) => {
          const changed = change(record);
          missingOf.set(record.id, changed);
          return changed.states;
        },
      });
      for (const { queued, awaited } of missingOf.values()) {
        sum.queued += queued;
        sum.awaited += awaited;
      }
      const pending = changed.filter((id) => missingOf.get(id)!.queued > 0);
      if (pending.length > 0) queueScoring(organizationId, runId, pending, retriedAt);
    }
    return sum;
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
      if (failures.length === 0) return { states: undefined, queued: 0, awaited: 0 };
      const states = failures.reduce<ScoreStates>(
        (sum, { metricVersionId }) => withPending(sum, metricVersionId),
        scoreStatesOf(record),
      );
      return { states, queued: states.pending.length - record.pending.length, awaited: 0 };
    };
    const { queued } = await queueChanged(organizationId, run, {
      batches: failedRecords(organizationId, run.id),
      change,
      retriedAt,
    });
    return queued;
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
