import type { Database } from '@assay/runtime/mongo/database';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import { knowsMore } from '../domain/accounts/joined-metrics.ts';
import {
  type Account,
  accountOf,
  differenceOf,
  emptyAccount,
  type FailedScore,
  type ScoreStates,
  type ScoreValue,
  sumOf,
} from '../domain/accounts/score-states.ts';
import type { PayloadField, PayloadStore, Payloads, StoredBytes } from './payloads.ts';
import {
  countedAs,
  createSweepTimes,
  type Envelope,
  outcomesFieldOf,
  type RecordDocument,
  recordBytes,
  recordReader,
  type StoredAssignment,
  type StoredRecord,
  type StoredTag,
  toEnvelope,
} from './record.ts';
import { type AnnounceLinks, createRecordCreation } from './record-creation.ts';
import { createRecordList, inOrder, withoutJudgements } from './record-list.ts';
import { reviewersOf, reviewOf, scoreValues } from './review.ts';
import type { RunStore, StoredRun } from './runs.ts';

/** The new score states of a record, with their part in the run's account of its judges. */
export type ChangedScoreStates = ScoreStates & { spentNanoUsd?: number; cachedAnswers?: number };

export function createRecordStore({
  database,
  runs,
  payloads,
  sweepAfterMs,
  announceLinks,
}: {
  database: Database;
  runs: RunStore;
  /** How long a record waits for its scores before its job is published again. */
  sweepAfterMs: number;
  payloads: PayloadStore;
  announceLinks: AnnounceLinks;
}) {
  const records = database.collection<RecordDocument>('records');
  const envelopeOnly = { kept: 0 };

  const sweepOf = createSweepTimes(sweepAfterMs);

  function updateOf(
    run: StoredRun,
    states: ScoreStates,
    { assignees }: Pick<Envelope, 'assignees'>,
  ) {
    const { pending, awaited, failures, stopped, errored, scores, judged, cacheExceptions } =
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
        ...kept,
      },
      ...(gone.length > 0 ? { $unset: Object.fromEntries(gone) } : {}),
    };
  }

  const toRecord = recordReader(payloads);

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
        .find({ _id: { $in: some }, organizationId, runId }, { projection: envelopeOnly })
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
      const outcome = await database.transaction(() => changeSome(some));
      changed.push(...outcome.changed);
      some = outcome.remaining;
    }
    return changed;
  }
  const creation = createRecordCreation({
    database,
    runs,
    payloads,
    sweepOf,
    changeScoreStates,
    announceLinks,
  });

  return {
    /** Resolves when the records are durable, together with others that came at the same time. */
    create: creation.create,
    /** The same for records of an upload, which wait until there is room for them. */
    createInBulk: creation.createInBulk,
    drain: creation.drain,

    async find(organizationId: string, id: string): Promise<StoredRecord | undefined> {
      const document = await records.findOne({ _id: id, organizationId });
      return document ? toRecord(document) : undefined;
    },
    /** Finds one payload of a record, without reading the others. */
    async findPayload(
      organizationId: string,
      id: string,
      field: PayloadField,
    ): Promise<(StoredBytes & { runId: string }) | undefined> {
      const document = await records.findOne(
        { _id: id, organizationId },
        { projection: { runId: 1, [`kept.${field}`]: 1, 'kept.chunked': 1 } },
      );
      if (!document) return undefined;
      return { runId: document.runId, ...payloads.openBytes(id, document.kept, field) };
    },
    async findEnvelope(organizationId: string, id: string): Promise<Envelope | undefined> {
      const document = await records.findOne(
        { _id: id, organizationId },
        { projection: envelopeOnly },
      );
      return document ? toEnvelope(document) : undefined;
    },
    /**
     * Finds the records among `ids` that have pending scores of these metric versions, as many as
     * fit into `bytesMax` of payloads, and the ids of the rest.
     */
    async findPending(
      organizationId: string,
      {
        runId,
        ids,
        metricVersionIds,
        bytesMax,
      }: { runId: string; ids: string[]; metricVersionIds: string[]; bytesMax: number },
    ): Promise<{
      found: (Payloads & Pick<Envelope, 'id' | 'pending' | 'cacheExceptions'>)[];
      remaining: string[];
    }> {
      const filter = {
        _id: { $in: ids },
        organizationId,
        runId,
        pending: { $in: metricVersionIds },
      };
      const projection = { kept: 1, pending: 1, cacheExceptions: 1 };
      const cursor = records.find(filter, { projection }).sort({ _id: 1 });
      const { documents, hasMore } = await takeWithin(cursor, {
        itemsMax: ids.length,
        bytesMax,
        bytesOf: payloads.bytesOf,
      });
      const found = documents.map(({ _id, kept, pending, cacheExceptions }) => ({
        id: _id,
        pending,
        ...(cacheExceptions ? { cacheExceptions } : {}),
        ...payloads.open(_id, kept),
      }));
      return { found, remaining: hasMore ? idsAfter(ids, documents) : [] };
    },
    /**
     * Finds some records of a run, as lists show them: as many as fit into memory, with whole
     * payloads or with the beginnings of large ones, and the ids of the rest.
     */
    async findSome(
      organizationId: string,
      runId: string,
      { ids, areWhole }: { ids: string[]; areWhole: boolean },
    ): Promise<{ found: StoredRecord[]; remaining: string[] }> {
      const cursor = records
        .find({ _id: { $in: ids }, organizationId, runId }, { projection: withoutJudgements })
        .sort({ _id: 1 });
      const bytesOf = (document: RecordDocument) =>
        areWhole
          ? payloads.bytesOf(document) + recordBytes({ ...document, kept: undefined })
          : recordBytes(document);
      const { documents, hasMore } = await takeWithin(cursor, { itemsMax: ids.length, bytesOf });
      return { found: documents.map(toRecord), remaining: hasMore ? idsAfter(ids, documents) : [] };
    },

    list: createRecordList({ records, toRecord }).list,

    /** The failures of a run's records that have any, from one id on. */
    async listFailed(
      organizationId: string,
      { runId, fromId, limit }: { runId: string; fromId: string | undefined; limit: number },
    ): Promise<{ id: string; failures: FailedScore[] }[]> {
      const filter = {
        organizationId,
        runId,
        failed: { $gt: 0 },
        ...(fromId ? { _id: { $gte: fromId } } : {}),
      };
      const found = records
        .find(filter, { projection: { failures: 1 } })
        .hint({ organizationId: 1, runId: 1, _id: 1, failed: 1 })
        .sort({ _id: 1 })
        .limit(limit);
      return (await found.toArray()).map(({ _id, failures }) => ({ id: _id, failures }));
    },
    /**
     * Ids of a run's records, or of those that have something pending, in batches, from one id on.
     */
    async listIds(
      organizationId: string,
      {
        runId,
        isPending,
        after,
        limit,
      }: { runId: string; isPending: boolean; after: string | undefined; limit: number },
    ): Promise<string[]> {
      const filter = {
        organizationId,
        runId,
        ...(isPending ? { sweepAt: { $exists: true } } : {}),
        ...(after ? { _id: { $gt: after } } : {}),
      };
      return idsOf(
        await records
          .find(filter, { projection: { _id: 1 } })
          .hint(inOrder)
          .sort({ _id: 1 })
          .limit(limit)
          .toArray(),
      );
    },

    /**
     * A run's oldest records, or those that have a value of any of these metric versions, as many as
     * fit into `bytesMax` of payloads.
     */
    async listScored(
      organizationId: string,
      {
        runId,
        metricVersionIds,
        limit,
        bytesMax,
      }: {
        runId: string;
        metricVersionIds: string[] | undefined;
        limit: number;
        bytesMax: number;
      },
    ): Promise<(Payloads & { id: string; scores: ScoreValue[] })[]> {
      const scored = metricVersionIds && {
        scores: {
          $elemMatch: { metricVersionId: { $in: metricVersionIds }, value: { $ne: null } },
        },
      };
      const cursor = records
        .find({ organizationId, runId, ...scored }, { projection: { kept: 1, ...scoreValues } })
        .hint(inOrder)
        .sort({ _id: 1 })
        .limit(limit);
      const { documents } = await takeWithin(cursor, {
        itemsMax: limit,
        bytesMax,
        bytesOf: payloads.bytesOf,
      });
      return documents.map(({ _id, kept, scores }) => ({
        id: _id,
        scores,
        ...payloads.open(_id, kept),
      }));
    },
    /** Which of these are records of the run. */
    async findIds(organizationId: string, runId: string, ids: string[]): Promise<string[]> {
      return idsOf(
        await records
          .find({ _id: { $in: ids }, organizationId, runId }, { projection: { _id: 1 } })
          .toArray(),
      );
    },

    changeScoreStates,

    /** Inside the transaction that makes an annotation of the record. False when it is not there. */
    async markAnnotated(organizationId: string, id: string): Promise<boolean> {
      const { matchedCount } = await records.updateOne(
        { _id: id, organizationId },
        { $set: { hasAnnotations: true } },
      );
      return matchedCount > 0;
    },
    async updateTags(organizationId: string, id: string, tags: StoredTag[]): Promise<void> {
      await records.updateOne(
        { _id: id, organizationId },
        tags.length > 0 ? { $set: { tags } } : { $unset: { tags: '' } },
      );
    },
    async updateAssignees(
      organizationId: string,
      id: string,
      assignees: StoredAssignment[],
    ): Promise<void> {
      await records.updateOne({ _id: id, organizationId }, { $set: { assignees } });
      await records.updateOne(
        { _id: id, organizationId, review: { $exists: true } },
        { $set: { 'review.for': reviewersOf(assignees) } },
      );
    },

    /**
     * Deletes a record and takes it out of its run's counts. False when it was not there. Inside a
     * transaction.
     */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const projection = { 'kept.inputs': 0, 'kept.expected': 0, 'kept.outputs': 0 };
      const document = await records.findOneAndDelete({ _id: id, organizationId }, { projection });
      if (!document) return false;
      if ('chunked' in document.kept) await payloads.disown(organizationId, id);
      await runs.count(organizationId, document.runId, {
        ...differenceOf(emptyAccount, countedAs(document)),
        records: -1,
      });
      return true;
    },
    /** Deletes records of a hidden run, whose counts nobody reads. */
    async deleteHidden(organizationId: string, ids: string[]): Promise<void> {
      await records.deleteMany({ _id: { $in: ids }, organizationId });
    },

    /**
     * Records of any organization that have waited for their scores too long, or are put off beyond
     * all that may be; each is put off, so that another sweep passes it over.
     */
    async takeOverdue({
      before,
      beyond,
      limit,
    }: {
      before: Date;
      beyond: Date;
      limit: number;
    }): Promise<{ organizationId: string; runId: string; id: string }[]> {
      const overdue = await records
        .find(
          {
            $or: [
              { sweepAt: { $lt: before } },
              { sweepAt: { $gt: new Date(beyond.getTime() + sweepAfterMs) } },
            ],
          },
          { projection: { _id: 1, organizationId: 1, runId: 1 } },
        )
        .limit(limit)
        .toArray();
      await records.updateMany(
        { _id: { $in: overdue.map(({ _id }) => _id) }, sweepAt: { $exists: true } },
        { $set: { sweepAt: new Date(Date.now() + sweepAfterMs) } },
      );
      return overdue.map(({ _id, organizationId, runId }) => ({ organizationId, runId, id: _id }));
    },
    /**
     * The sweep does not look at these records before then; with `metricVersionIds`, at those of
     * them that miss scores of no other metric versions.
     */
    async putOffSweep(
      organizationId: string,
      ids: string[],
      sweepAt: Date,
      metricVersionIds?: string[],
    ): Promise<void> {
      const others = metricVersionIds && {
        pending: { $not: { $elemMatch: { $nin: metricVersionIds } } },
      };
      await records.updateMany(
        { _id: { $in: ids }, organizationId, sweepAt: { $exists: true }, ...others },
        { $set: { sweepAt } },
      );
    },
  };
}

/** Those of some ids that come after these documents, which were read in the order of their ids. */
const idsAfter = (ids: string[], documents: { _id: string }[]): string[] =>
  ids.filter((id) => id > documents.at(-1)!._id);

const idsOf = (documents: { _id: string }[]): string[] => documents.map(({ _id }) => _id);
