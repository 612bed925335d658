import type { Page, PageRequest } from '@assay/contracts/page';
import { type Database, findPage } from '@assay/runtime/mongo';
import { type Account, accountOf, type Cells, differenceOf, emptyAccount, sumOf } from '../domain/cells.ts';
import type { PayloadStore } from './payloads.ts';
import type { Envelope, RecordDocument, StoredAssignment, StoredRecord, StoredTag } from './record.ts';
import { createRecordCreation } from './record-creation.ts';
import type { RunStore } from './runs.ts';

export function createRecordStore({
  database,
  runs,
  payloads,
  sweepAfterMs,
}: {
  database: Database;
  runs: RunStore;
  /** How long a record waits for its scores before its job is published again. */
  sweepAfterMs: number;
  payloads: PayloadStore;
}) {
  const records = database.collection<RecordDocument>('records');
  const envelopeOnly = { kept: 0 };

  const sweepOf = ({ pending }: Pick<Cells, 'pending'>) => (pending.length > 0 ? { sweepAt: new Date(Date.now() + sweepAfterMs) } : {});

  function updateOf({ pending, awaited, failures, scores }: Cells) {
    const sweep = sweepOf({ pending });
    return {
      $set: { pending, awaited, failures, scores, failed: failures.length, ...sweep },
      ...('sweepAt' in sweep ? {} : { $unset: { sweepAt: '' } }),
    };
  }

  const toRecord = (document: RecordDocument): StoredRecord => ({ ...toEnvelope(document), ...payloads.open(document._id, document.kept) });

  const creation = createRecordCreation({ database, runs, payloads, sweepOf, toRecord });

  return {
    /** Resolves when the record is durable, together with others that came at the same time. */
    create: creation.create,
    drain: creation.drain,

    async find(organizationId: string, id: string): Promise<StoredRecord | undefined> {
      const document = await records.findOne({ _id: id, organizationId });
      return document ? toRecord(document) : undefined;
    },
    async findEnvelope(organizationId: string, id: string): Promise<Envelope | undefined> {
      const document = await records.findOne({ _id: id, organizationId }, { projection: envelopeOnly });
      return document ? toEnvelope(document) : undefined;
    },
    async findMany(organizationId: string, runId: string, ids: string[]): Promise<StoredRecord[]> {
      return (
        await records
          .find({ _id: { $in: ids }, organizationId, runId })
          .sort({ _id: 1 })
          .toArray()
      ).map(toRecord);
    },

    /** Each filter is a set of alternatives, each alternative the tags that must all be there. */
    list(
      organizationId: string,
      { runId, tags, page }: { runId: string; tags: string[][][]; page: PageRequest },
    ): Promise<Page<StoredRecord>> {
      const tagged = tags.map((alternatives) => ({ $or: alternatives.map((texts) => ({ 'tags.text': { $all: texts } })) }));
      const filter = { organizationId, runId, ...(tagged.length > 0 ? { tags: { $exists: true }, $and: tagged } : {}) };
      return findPage(records, { filter, page, toItem: toRecord });
    },

    /** The records of a run that have failures, from one id on. */
    async listFailed(
      organizationId: string,
      { runId, fromId, limit }: { runId: string; fromId: string | undefined; limit: number },
    ): Promise<Envelope[]> {
      const filter = { organizationId, runId, failed: { $gt: 0 }, ...(fromId ? { _id: { $gte: fromId } } : {}) };
      return (await records.find(filter, { projection: envelopeOnly }).sort({ _id: 1 }).limit(limit).toArray()).map(toEnvelope);
    },
    /** Ids of a run's records in batches, from one id on. */
    async listIds(
      organizationId: string,
      { runId, after, limit }: { runId: string; after: string | undefined; limit: number },
    ): Promise<string[]> {
      const filter = { organizationId, runId, ...(after ? { _id: { $gt: after } } : {}) };
      return (
        await records
          .find(filter, { projection: { _id: 1 } })
          .sort({ _id: 1 })
          .limit(limit)
          .toArray()
      ).map(({ _id }) => _id);
    },

    /** Which of these are records of the run. */
    async findIds(organizationId: string, runId: string, ids: string[]): Promise<string[]> {
      return (await records.find({ _id: { $in: ids }, organizationId, runId }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    },

    /**
     * Changes the cells of some records of a run, and its counts by the difference, in one transaction. `change` gives the cells as they
     * shall be, or undefined to leave a record as it is. Records that are not there are passed over. Answers with those that changed.
     */
    async changeCells(
      organizationId: string,
      { runId, ids, change }: { runId: string; ids: string[]; change: (record: Envelope) => Cells | undefined },
    ): Promise<Envelope[]> {
      return database.transaction(async () => {
        const before = await records.find({ _id: { $in: ids }, organizationId, runId }, { projection: envelopeOnly }).toArray();
        const changed: Envelope[] = [];
        const differences: Account[] = [];
        const updates = before.flatMap((document) => {
          const cells = change(toEnvelope(document));
          if (!cells) return [];
          changed.push({ ...toEnvelope(document), ...cells });
          differences.push(differenceOf(accountOf(cells), accountOf(document)));
          return [{ updateOne: { filter: { _id: document._id, organizationId }, update: updateOf(cells) } }];
        });
        if (updates.length === 0) return [];
        await records.bulkWrite(updates as never);
        await runs.count(organizationId, runId, { ...sumOf(differences), records: 0 });
        return changed;
      });
    },

    async updateTags(organizationId: string, id: string, tags: StoredTag[]): Promise<void> {
      await records.updateOne({ _id: id, organizationId }, tags.length > 0 ? { $set: { tags } } : { $unset: { tags: '' } });
    },
    async updateAssignees(organizationId: string, id: string, assignees: StoredAssignment[]): Promise<void> {
      await records.updateOne({ _id: id, organizationId }, { $set: { assignees } });
    },

    /** Deletes a record and takes it out of its run's counts. False when it was not there. Inside a transaction. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const document = await records.findOneAndDelete({ _id: id, organizationId }, { projection: envelopeOnly });
      if (!document) return false;
      await runs.count(organizationId, document.runId, { ...differenceOf(emptyAccount, accountOf(document)), records: -1 });
      return true;
    },
    async deleteOfRun(organizationId: string, runId: string): Promise<void> {
      await records.deleteMany({ organizationId, runId });
    },

    /** The values of each metric version over a run's records, as they are read. */
    async *listValues(
      organizationId: string,
      runId: string,
    ): AsyncIterable<{
      scores: Pick<Cells['scores'][number], 'metricVersionId' | 'value' | 'isPending'>[];
      failures: { metricVersionId: string }[];
    }> {
      const projection = { 'scores.metricVersionId': 1, 'scores.value': 1, 'scores.isPending': 1, 'failures.metricVersionId': 1 };
      for await (const { scores, failures } of records.find({ organizationId, runId }, { projection }).sort({ _id: 1 }).batchSize(5000))
        yield { scores, failures };
    },

    /** Records of any organization that have waited for their scores too long; each is put off, so that another sweep passes it over. */
    async takeOverdue({ now, limit }: { now: Date; limit: number }): Promise<{ organizationId: string; runId: string; id: string }[]> {
      const overdue = await records
        .find({ sweepAt: { $lt: now } }, { projection: { _id: 1, organizationId: 1, runId: 1 } })
        .limit(limit)
        .toArray();
      await records.updateMany(
        { _id: { $in: overdue.map(({ _id }) => _id) }, sweepAt: { $exists: true } },
        { $set: { sweepAt: new Date(now.getTime() + sweepAfterMs) } },
      );
      return overdue.map(({ _id, organizationId, runId }) => ({ organizationId, runId, id: _id }));
    },
  };
}

function toEnvelope({
  _id,
  organizationId: _organizationId,
  kept: _kept,
  failed: _failed,
  sweepAt: _sweepAt,
  tags = [],
  ...envelope
}: RecordDocument): Envelope {
  return { id: _id, tags, ...envelope };
}
