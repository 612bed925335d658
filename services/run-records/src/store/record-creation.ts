import type { IdempotencyKey } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { JsonText } from '@assay/contracts/payload';
import { rememberedMs } from '@assay/runtime/idempotency';
import { type Database, duplicateAt, isConflict } from '@assay/runtime/mongo';
import { accountOf, type Cells, newCells, sumOf } from '../domain/cells.ts';
import { createGroupCommit } from './group-commit.ts';
import type { PayloadStore, Payloads } from './payloads.ts';
import type { Envelope, RecordDocument, StoredRecord } from './record.ts';
import { reviewOf } from './review.ts';
import type { RunStore, StoredRun } from './runs.ts';

/** A record on its way into the store, which gives it the cells of its run. */
export interface NewRecord extends Omit<Envelope, keyof Cells> {
  organizationId: string;
  payloads: Payloads<JsonText>;
  idempotencyKey: IdempotencyKey | undefined;
}

/**
 * What became of it: made, there already by its span, or made before under the same Idempotency-Key; `held` while a transaction under
 * way, maybe of a process that died, has written its span or key.
 */
export type Creation =
  | { outcome: 'created'; isPending: boolean }
  | { outcome: 'there'; record: StoredRecord }
  | { outcome: 'replayed'; recordId: string }
  | { outcome: 'held' }
  | { outcome: 'no run' }
  | { outcome: 'key used with another body' }
  | { outcome: 'gone' };

interface KeyDocument {
  _id: string;
  bodyHash: string;
  recordId: string;
  expiresAt: Date;
}

/** A record while its group is committed. */
interface Entry {
  record: NewRecord;
  document: RecordDocument;
  fate: 'fresh' | 'created' | 'taken' | 'held';
}

/** How long a group waits for another transaction before it is halved. */
const conflictWaitMs = 100;

interface Parts {
  database: Database;
  runs: RunStore;
  payloads: PayloadStore;
  sweepOf: (cells: Pick<Cells, 'pending'>) => { sweepAt?: Date };
  toRecord: (document: RecordDocument) => StoredRecord;
}

/** Creates records, those that come at the same time together. */
export function createRecordCreation({ database, runs, payloads, sweepOf, toRecord }: Parts) {
  const records = database.collection<RecordDocument>('records');
  const keys = database.collection<KeyDocument>('record_keys');

  /** One look at the runs, then one transaction. */
  async function commitGroup(group: NewRecord[]): Promise<Creation[]> {
    const found = await runs.findEach(group.map(({ organizationId, runId }) => ({ organizationId, id: runId })));
    const entries = await Promise.all(group.map((record, index) => toEntry(record, found[index])));
    await commitFresh(entries.filter((entry) => entry !== undefined));
    return Promise.all(entries.map((entry) => (entry ? toCreation(entry) : { outcome: 'no run' as const })));
  }

  async function toEntry(record: NewRecord, run: StoredRun | undefined): Promise<Entry | undefined> {
    if (!run) return undefined;
    const { id, tags, payloads: given, idempotencyKey: _key, ...envelope } = record;
    const kept = await payloads.keep(record.organizationId, { runId: run.id, recordId: id }, given);
    const cells = newCells(run.metrics);
    const document = {
      _id: id,
      ...envelope,
      ...(tags.length > 0 ? { tags } : {}),
      ...cells,
      kept,
      failed: 0,
      ...sweepOf(cells),
      ...reviewOf(run, cells, record.assignees),
    };
    return { record, document, fate: 'fresh' };
  }

  /**
   * Those whose span or key is there already are taken out. A group that meets the write of a transaction under way is halved until the
   * record that met it stands alone: it keeps nobody else waiting.
   */
  async function commitFresh(entries: Entry[]): Promise<void> {
    for (;;) {
      const fresh = entries.filter(({ fate }) => fate === 'fresh');
      if (fresh.length === 0) return;
      try {
        await database.transaction(() => insert(fresh), { conflictWaitMs });
        for (const entry of fresh) entry.fate = 'created';
      } catch (error) {
        if (error instanceof Taken) error.entry.fate = 'taken';
        else if (!(error instanceof Failure && isConflict(error.cause))) throw error;
        else if (fresh.length === 1) fresh[0]!.fate = 'held';
        else {
          await commitFresh(fresh.slice(0, Math.ceil(fresh.length / 2)));
          await commitFresh(fresh.slice(Math.ceil(fresh.length / 2)));
        }
      }
    }
  }

  async function insert(entries: Entry[]): Promise<void> {
    const keyed = entries.filter(({ record }) => record.idempotencyKey);
    const expiresAt = new Date(Date.now() + rememberedMs);
    const keyDocuments = keyed.map(({ record: { id, idempotencyKey } }) => ({
      _id: idempotencyKey!.id,
      bodyHash: idempotencyKey!.bodyHash,
      recordId: id,
      expiresAt,
    }));
    if (keyed.length > 0) await keys.insertMany(keyDocuments).catch(throwTaken(keyed));
    await records.insertMany(entries.map(({ document }) => document)).catch(throwTaken(entries));
    for (const ofRun of byRun(entries)) {
      const { organizationId, runId } = ofRun[0]!.document;
      await runs.count(organizationId, runId, { ...sumOf(ofRun.map(({ document }) => accountOf(document))), records: ofRun.length });
    }
  }

  async function toCreation({ record, document, fate }: Entry): Promise<Creation> {
    if (fate === 'created') return { outcome: 'created', isPending: document.pending.length > 0 };
    if (fate === 'held') return { outcome: 'held' };
    if ('chunked' in document.kept) await payloads.deleteOfRecord(record.organizationId, record.id);
    return findTaken(record);
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

  const groups = createGroupCommit<NewRecord, Creation>({
    itemsMax: 500,
    bytesMax: 16 * 1024 * 1024,
    // One under way: the more wait for it, the more share the next.
    commitsMax: 1,
    waitingBytesMax: 128 * 1024 * 1024,
    bytesOf: (record) => 1024 + payloads.bytesOf(record.payloads),
    commit: commitGroup,
  });

  return { create: (record: NewRecord): Promise<Creation> => groups.add(record), drain: groups.drain };
}

/** An insert that met a unique key, with the entry that brought it. */
class Taken extends Error {
  readonly entry: Entry;
  constructor(entry: Entry, cause: unknown) {
    super('a unique key is taken', { cause });
    this.entry = entry;
  }
}

const throwTaken =
  (entries: Entry[]) =>
  (cause: unknown): never => {
    const index = duplicateAt(cause);
    throw index === undefined ? cause : new Taken(entries[index]!, cause);
  };

function byRun(entries: Entry[]): Entry[][] {
  const runs = new Map<string, Entry[]>();
  for (const entry of entries) {
    const ofRun = runs.get(entry.document.runId);
    if (ofRun) ofRun.push(entry);
    else runs.set(entry.document.runId, [entry]);
  }
  return [...runs.values()];
}
