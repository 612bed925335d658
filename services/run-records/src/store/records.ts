import type { IdempotencyKey } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { JsonText } from '@assay/contracts/payload';
import { rememberedMs } from '@assay/runtime/idempotency';
import { type Database, duplicateAt, findPage, isConflict } from '@assay/runtime/mongo';
import { type Account, accountOf, type Cells, differenceOf, emptyAccount, sumOf } from '../domain/cells.ts';
import { createGroupCommit } from './group-commit.ts';
import type { createPayloadStore, KeptPayloads, Payloads } from './payloads.ts';
import type { RunStore } from './runs.ts';

export interface StoredTag {
  id: string;
  text: string;
  source: 'user' | 'otel';
  userId: string | null;
  createdAt: Date;
}

export interface StoredAssignment {
  id: string;
  assigneeUserId: string;
  assignedByUserId: string;
  createdAt: Date;
}

/** A record without its payloads. */
export interface Envelope extends Cells {
  id: string;
  runId: string;
  testcaseId: string | null;
  otelLinkId?: string;
  sessionId?: string;
  createdAt: Date;
  tags: StoredTag[];
  assignees: StoredAssignment[];
}

export type StoredRecord = Envelope & Payloads;

/** A record on its way into the store. */
export interface NewRecord extends Envelope {
  organizationId: string;
  payloads: Payloads<JsonText>;
  idempotencyKey: IdempotencyKey | undefined;
}

/**
 * What became of it: made, there already by its span, or made before under the same Idempotency-Key; `held` while a transaction under
 * way, maybe of a process that died, has written its span or key.
 */
export type Creation =
  | { outcome: 'created' }
  | { outcome: 'there'; record: StoredRecord }
  | { outcome: 'replayed'; recordId: string }
  | { outcome: 'held' }
  | { outcome: 'key used with another body' }
  | { outcome: 'gone' };

type RecordDocument = Omit<Envelope, 'id' | 'tags'> & {
  _id: string;
  organizationId: string;
  /** Left out where there are none, so that the index of tags holds tagged records alone. */
  tags?: StoredTag[];
  kept: KeptPayloads;
  failed: number;
  /** When a lost scoring job is published again; there while something is pending. */
  sweepAt?: Date;
};

interface KeyDocument {
  _id: string;
  bodyHash: string;
  recordId: string;
  expiresAt: Date;
}

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
  payloads: ReturnType<typeof createPayloadStore>;
}) {
  const records = database.collection<RecordDocument>('records');
  const keys = database.collection<KeyDocument>('record_keys');
  const envelopeOnly = { kept: 0 };

  const sweepOf = ({ pending }: Pick<Cells, 'pending'>) => (pending.length > 0 ? { sweepAt: new Date(Date.now() + sweepAfterMs) } : {});

  function updateOf({ pending, awaited, failures, scores }: Cells) {
    const sweep = sweepOf({ pending });
    return {
      $set: { pending, awaited, failures, scores, failed: failures.length, ...sweep },
      ...('sweepAt' in sweep ? {} : { $unset: { sweepAt: '' } }),
    };
  }

  /** Writes a group in one transaction, taking out those whose span or key is there already. */
  async function commitGroup(group: NewRecord[]): Promise<Creation[]> {
    const documents = new Map(await Promise.all(group.map(async (record) => [record, await toDocument(record)] as const)));
    const taken = new Set<NewRecord>();
    const held = new Set<NewRecord>();
    await commitFresh(group, { documents, taken, held });
    for (const record of taken)
      if ('chunked' in documents.get(record)!.kept) await payloads.deleteOfRecord(record.organizationId, record.id);
    return Promise.all(
      group.map((record) => {
        if (held.has(record)) return { outcome: 'held' as const };
        return taken.has(record) ? findTaken(record) : { outcome: 'created' as const };
      }),
    );
  }

  /** A group that meets another transaction's write is halved until the one that met it stands alone: it keeps nobody else waiting. */
  async function commitFresh(group: NewRecord[], found: Found): Promise<void> {
    for (;;) {
      const fresh = group.filter((record) => !found.taken.has(record));
      if (fresh.length === 0) return;
      try {
        await database.transaction(() => insert(fresh, found.documents), { conflictWaitMs });
        return;
      } catch (error) {
        const offender = offenderOf(error, fresh);
        if (offender) found.taken.add(offender);
        else if (!(error instanceof Failure && isConflict(error.cause))) throw error;
        else if (fresh.length === 1) return void found.held.add(fresh[0]!);
        else return commitHalves(fresh, found);
      }
    }
  }

  async function commitHalves(group: NewRecord[], found: Found): Promise<void> {
    const middle = Math.ceil(group.length / 2);
    await commitFresh(group.slice(0, middle), found);
    await commitFresh(group.slice(middle), found);
  }

  async function insert(group: NewRecord[], documents: Map<NewRecord, RecordDocument>): Promise<void> {
    const keyed = group.filter(({ idempotencyKey }) => idempotencyKey);
    const expiresAt = new Date(Date.now() + rememberedMs);
    if (keyed.length > 0) {
      await keys
        .insertMany(
          keyed.map(({ id, idempotencyKey }) => ({ _id: idempotencyKey!.id, bodyHash: idempotencyKey!.bodyHash, recordId: id, expiresAt })),
        )
        .catch((cause) => {
          throw markTaken(cause, keyed);
        });
    }
    await records.insertMany(group.map((record) => documents.get(record)!)).catch((cause) => {
      throw markTaken(cause, group);
    });
    for (const [, ofRun] of byRun(group)) {
      const { organizationId, runId } = ofRun[0]!;
      await runs.count(organizationId, runId, { ...sumOf(ofRun.map(accountOf)), records: ofRun.length });
    }
  }

  async function findTaken({ organizationId, runId, otelLinkId, idempotencyKey }: NewRecord): Promise<Creation> {
    const remembered = idempotencyKey ? await keys.findOne({ _id: idempotencyKey.id }) : null;
    if (remembered) {
      return remembered.bodyHash === idempotencyKey!.bodyHash
        ? { outcome: 'replayed', recordId: remembered.recordId }
        : { outcome: 'key used with another body' };
    }
    const there = otelLinkId === undefined ? null : await records.findOne({ organizationId, runId, otelLinkId });
    // Gone between the two: deleted in this moment. The client's repeat will make it.
    return there ? { outcome: 'there', record: toRecord(there) } : { outcome: 'gone' };
  }

  async function toDocument({ id, tags, payloads: given, idempotencyKey: _key, ...record }: NewRecord): Promise<RecordDocument> {
    const kept = await payloads.keep(record.organizationId, { runId: record.runId, recordId: id }, given);
    return { _id: id, ...record, ...(tags.length > 0 ? { tags } : {}), kept, failed: record.failures.length, ...sweepOf(record) };
  }

  const toRecord = (document: RecordDocument): StoredRecord => ({ ...toEnvelope(document), ...payloads.open(document._id, document.kept) });

  const groups = createGroupCommit<NewRecord, Creation>({
    itemsMax: 500,
    bytesMax: 16 * 1024 * 1024,
    commitsMax: 2,
    waitingBytesMax: 128 * 1024 * 1024,
    bytesOf: (record) => 1024 + payloads.bytesOf(record.payloads),
    commit: commitGroup,
  });

  return {
    /** Resolves when the record is durable, together with others that came at the same time. */
    create: (record: NewRecord): Promise<Creation> => groups.add(record),
    drain: groups.drain,

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

/** How long a group waits for another transaction before it is halved. */
const conflictWaitMs = 100;

/** What came to light while a group was committed. */
interface Found {
  documents: Map<NewRecord, RecordDocument>;
  taken: Set<NewRecord>;
  held: Set<NewRecord>;
}

/** An insert that met a unique key, with the record that brought it. */
class Taken extends Error {
  readonly record: NewRecord;
  constructor(record: NewRecord, cause: unknown) {
    super('a unique key is taken', { cause });
    this.record = record;
  }
}

function markTaken(cause: unknown, group: NewRecord[]): unknown {
  const index = duplicateAt(cause);
  return index === undefined ? cause : new Taken(group[index]!, cause);
}

const offenderOf = (error: unknown, group: NewRecord[]): NewRecord | undefined =>
  error instanceof Taken && group.includes(error.record) ? error.record : undefined;

function byRun(group: NewRecord[]): Map<string, NewRecord[]> {
  const runs = new Map<string, NewRecord[]>();
  for (const record of group) {
    const ofRun = runs.get(record.runId);
    if (ofRun) ofRun.push(record);
    else runs.set(record.runId, [record]);
  }
  return runs;
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
