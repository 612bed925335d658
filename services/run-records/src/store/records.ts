import type { Database } from '@assay/runtime/mongo/database';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import {
  countedAs,
  differenceOf,
  emptyAccount,
  type FailedScore,
  type ScoreValue,
} from '../domain/accounts/score-states.ts';
import type { PayloadField, PayloadStore, Payloads, StoredBytes } from './payloads.ts';
import {
  createSweepTimes,
  type Envelope,
  idsAfter,
  type RecordDocument,
  recordBytes,
  recordReader,
  type StoredAssignment,
  type StoredRecord,
  type StoredTag,
  toEnvelope,
  withoutPayloads,
} from './record.ts';
import { type AnnounceLinks, createRecordCreation } from './record-creation.ts';
import { createRecordList, inOrder, withoutJudgements } from './record-list.ts';
import { reviewersOf, scoreValues } from './review.ts';
import type { RunStore } from './runs.ts';
import { createScoreStateChanges } from './score-states.ts';

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
  const sweepOf = createSweepTimes(sweepAfterMs);
  const toRecord = recordReader(payloads);
  const changeScoreStates = createScoreStateChanges({ database, records, runs, sweepOf });
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
        { projection: withoutPayloads },
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
        // Written even where it is marked already, so that a deletion at once is tried again.
        { $set: { hasAnnotations: true }, $inc: { annotationWrites: 1 } },
      );
      return matchedCount > 0;
    },
    /** Inside the transaction that deletes an annotation of the record. */
    async noteDeletedAnnotation(
      organizationId: string,
      id: string,
      { isLast }: { isLast: boolean },
    ): Promise<void> {
      await records.updateOne(
        { _id: id, organizationId },
        { $inc: { annotationWrites: 1 }, ...(isLast ? { $unset: { hasAnnotations: '' } } : {}) },
      );
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
  };
}

const idsOf = (documents: { _id: string }[]): string[] => documents.map(({ _id }) => _id);
