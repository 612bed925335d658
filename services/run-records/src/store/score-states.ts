import type { RecordNote } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo/database';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import type { Collection } from 'mongodb';
import { knowsMore } from '../domain/accounts/joined-metrics.ts';
import {
  type Account,
  accountOf,
  countedAs,
  differenceOf,
  type ScoreStates,
  sumOf,
} from '../domain/accounts/score-states.ts';
import {
  type Envelope,
  idsAfter,
  outcomesFieldOf,
  type RecordDocument,
  recordBytes,
  toEnvelope,
  withoutPayloads,
} from './record.ts';
import { reviewOf } from './review.ts';
import type { RunStore, StoredRun } from './runs.ts';

/** The new score states of a record, with their part in the run's account of its judges. */
export type ChangedScoreStates = ScoreStates & {
  spentNanoUsd?: number;
  cachedAnswers?: number;
  /** All notes of the record, where they change. */
  notes?: RecordNote[];
};

/** The one way to change the scores of records that are there. */
export function createScoreStateChanges({
  database,
  records,
  runs,
  sweepOf,
}: {
  database: Database;
  records: Collection<RecordDocument>;
  runs: RunStore;
  sweepOf: (states: Pick<ScoreStates, 'pending'>) => { sweepAt?: Date };
}) {
  function updateOf(
    run: StoredRun,
    states: ChangedScoreStates,
    { assignees }: Pick<Envelope, 'assignees'>,
  ) {
    const { pending, awaited, failures, stopped, errored, scores, judged, cacheExceptions, notes } =
      states;
    const kept = {
      ...(stopped ? { stopped } : {}),
      ...(errored ? { errored } : {}),
      ...(cacheExceptions ? { cacheExceptions } : {}),
      ...sweepOf(states),
      ...reviewOf(run, states, assignees),
      ...outcomesFieldOf(run, states),
    };
    const gone = ['stopped', 'sweepAt', 'review', 'outcomes', 'cacheExceptions']
      .filter((field) => !(field in kept))
      .map((field) => [field, '']);
    return {
      $set: {
        pending,
        awaited,
        failures,
        scores,
        failed: failures.length,
        ...(judged ? { judged } : {}),
        ...(notes ? { notes } : {}),
        ...kept,
      },
      ...(gone.length > 0 ? { $unset: Object.fromEntries(gone) } : {}),
    };
  }

  /**
   * Changes the score states of some records of a run, and its counts by the difference: in one
   * transaction or, where the records are large, in several, each of as many as fit into memory.
   * `change` returns the new states, or undefined to leave a record as it is. Records that are
   * not there are passed over. Answers with the ids of those that changed.
   */
  async function changeScoreStates(
    organizationId: string,
    {
      run,
      ids,
      change,
    }: {
      run: StoredRun;
      ids: string[];
      change: (record: Envelope) => ChangedScoreStates | undefined;
    },
  ): Promise<string[]> {
    const runId = run.id;
    const changeSome = async (some: string[]) => {
      const cursor = records
        .find({ _id: { $in: some }, organizationId, runId }, { projection: withoutPayloads })
        .sort({ _id: 1 });
      const { documents, hasMore } = await takeWithin(cursor, {
        itemsMax: some.length,
        bytesOf: recordBytes,
      });
      // Metrics that joined the run since it was read are known to the records alone.
      const current = documents.some((document) => knowsMore(document, run))
        ? ((await runs.find(organizationId, runId)) ?? run)
        : run;
      const changed: string[] = [];
      const differences: Account[] = [];
      let costNanoUsd = 0;
      let cachedAnswers = 0;
      const updates = documents.flatMap((document) => {
        const states = change(toEnvelope(document));
        if (!states) return [];
        changed.push(document._id);
        differences.push(differenceOf(accountOf(states), countedAs(document)));
        costNanoUsd += states.spentNanoUsd ?? 0;
        cachedAnswers += states.cachedAnswers ?? 0;
        return [
          {
            updateOne: {
              filter: { _id: document._id, organizationId },
              update: updateOf(current, states, document),
            },
          },
        ];
      });
      if (updates.length > 0) {
        await records.bulkWrite(updates as never);
        const counted = { ...sumOf(differences), costNanoUsd, cachedAnswers };
        await runs.count(organizationId, runId, counted);
      }
      return { changed, remaining: hasMore ? idsAfter(some, documents) : [] };
    };
    const changed: string[] = [];
    for (let some = ids; some.length > 0; ) {
      const outcome = await database.transaction(() => changeSome(some), {
        documents: some.length,
      });
      changed.push(...outcome.changed);
      some = outcome.remaining;
    }
    return changed;
  }

  return changeScoreStates;
}
