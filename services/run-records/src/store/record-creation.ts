import type { IdempotencyKey } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { JsonText } from '@assay/contracts/payload';
import { allOf } from '@assay/runtime/all-of';
import { rememberedMs } from '@assay/runtime/idempotency';
import { type Database, duplicateAt, isConflict } from '@assay/runtime/mongo';
import { accountOf, type Cells, newCells, sumOf } from '../domain/cells.ts';
import { createGroupCommit } from './group-commit.ts';
import { inlineBytes, type KeptPayloads, type PayloadStore, type Payloads } from './payloads.ts';
import type { Envelope, RecordDocument } from './record.ts';
import { reviewOf } from './review.ts';
import type { RunStore, StoredRun } from './runs.ts';

/** A record on its way into the store, which gives it the cells of its run. */
export interface NewRecord extends Omit<Envelope, keyof Cells> {
  organizationId: string;
  payloads: Payloads<JsonText>;
  idempotencyKey: IdempotencyKey | undefined;
}

/**
 * What became of it: made, there already by its span or the client's id, or made before under the same Idempotency-Key; `held` while a
 * transaction under way, maybe of a process that died, has written the same span, client's id or key.
 */
export type Creation =
  | { outcome: 'created'; isPending: boolean }
  | { outcome: 'there'; recordId: string }
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

/** A record whose large payloads are written; without a run there is nowhere for them. */
interface Prepared {
  record: NewRecord;
  kept: KeptPayloads | undefined;
}

/** A record while its group is committed. */
interface Entry {
  record: NewRecord;
  document: RecordDocument;
  fate: 'fresh' | 'created' | 'taken' | 'held';
  /** What has taken its place, once that is known. */
  taken?: Creation;
}

/** How long a group waits for another transaction before it is halved. */
const conflictWaitMs = 100;

interface Dependencies {
  database: Database;
  runs: RunStore;
  payloads: PayloadStore;
  sweepOf: (cells: Pick<Cells, 'pending'>) => { sweepAt?: Date };
}

/** Creates records, those that come at the same time together. */
export function createRecordCreation({ database, runs, payloads, sweepOf }: Dependencies) {
  const records = database.collection<RecordDocument>('records');
  const keys = database.collection<KeyDocument>('record_keys');

  /** One look at the runs, then one transaction. */
  async function commitGroup(group: Prepared[]): Promise<Creation[]> {
    const found = await runs.findEach(group.map(({ record: { organizationId, runId } }) => ({ organizationId, id: runId })));
    const entries = group.map(({ record, kept }, index) => kept && toEntry(record, found[index], kept));
    const known = entries.filter((entry) => entry !== undefined);
    takeOutRepeats(known);
    await commitFresh(known);
    await findTaken(known.filter(({ fate, taken }) => fate === 'taken' && !taken));
    return entries.map((entry) => (entry ? toCreation(entry) : { outcome: 'no run' }));
  }

  function toEntry(record: NewRecord, run: StoredRun | undefined, kept: KeptPayloads): Entry | undefined {
    if (!run) return undefined;
    const { id, tags, payloads: _payloads, idempotencyKey: _key, ...envelope } = record;
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
   * Those whose span, client's id or key is there already are taken out. A group that meets the write of a transaction under way is
   * halved until the record that met it stands alone: it keeps nobody else waiting.
   */
  async function commitFresh(entries: Entry[]): Promise<void> {
    for (;;) {
      const fresh = entries.filter(({ fate }) => fate === 'fresh');
      if (fresh.length === 0) return;
      try {
        await database.transaction(() => insert(fresh), { conflictWaitMs });
        for (const entry of fresh) entry.fate = 'created';
      } catch (error) {
        if (error instanceof Taken) {
          await findTaken(fresh);
          error.entry.fate = 'taken';
        } else if (!(error instanceof Failure && isConflict(error.cause))) throw error;
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
      const large = ofRun.filter(({ document }) => 'chunked' in document.kept);
      await payloads.own(
        organizationId,
        large.map(({ document }) => document._id),
      );
      await runs.count(organizationId, runId, { ...sumOf(ofRun.map(({ document }) => accountOf(document))), records: ofRun.length });
    }
  }

  /** Looks for what has taken the places of these, all at once: a repeated upload meets one with every line. */
  async function findTaken(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const keyed = entries.filter(({ record }) => record.idempotencyKey);
    const ids = keyed.map(({ record }) => record.idempotencyKey!.id);
    const found = ids.length === 0 ? [] : await keys.find({ _id: { $in: ids } }).toArray();
    const remembered = new Map(found.map((key) => [key._id, key]));
    for (const entry of keyed) {
      const key = remembered.get(entry.record.idempotencyKey!.id);
      if (key) take(entry, replayOf(entry.record.idempotencyKey!, key));
    }
    for (const ofRun of byRun(entries.filter(({ taken }) => !taken))) {
      for (const name of ['clientId', 'otelLinkId'] as const) await findNamed(ofRun, name);
    }
  }

  /** Of entries of one run, those whose client's id or span is a record's already. */
  async function findNamed(entries: Entry[], name: 'clientId' | 'otelLinkId'): Promise<void> {
    const named = entries.filter(({ record }) => record[name] !== undefined);
    if (named.length === 0) return;
    const { organizationId, runId } = named[0]!.record;
    const filter = { organizationId, runId, [name]: { $in: named.map(({ record }) => record[name]!) } };
    const found = await records.find(filter, { projection: { [name]: 1 } }).toArray();
    const idOf = new Map(found.map((document) => [document[name], document._id]));
    for (const entry of named) {
      const recordId = idOf.get(entry.record[name]);
      if (recordId !== undefined) take(entry, { outcome: 'there', recordId });
    }
  }

  /** Several batches in one commit: what came of each record, batch by batch. */
  async function commitBatches(batches: Prepared[][]): Promise<Creation[][]> {
    const creations = (await commitGroup(batches.flat())).values();
    return batches.map((batch) => batch.map(() => creations.next().value!));
  }

  function prepare(record: NewRecord): Prepared | Promise<Prepared> {
    return payloads.isLarge(record.payloads) ? prepareLarge(record) : { record, kept: payloads.inline(record.payloads) };
  }

  async function prepareLarge(record: NewRecord): Promise<Prepared> {
    const { organizationId, runId, id } = record;
    if (!(await runs.find(organizationId, runId))) return { record, kept: undefined };
    return { record, kept: await payloads.keepInChunks(organizationId, { runId, recordId: id }, record.payloads) };
  }

  /** What is large is written before its record joins a group: nobody waits for it but its own client. */
  const creating = (add: (batch: Prepared[]) => Promise<Creation[]>) => async (several: NewRecord[]) => {
    const batch = await allOf(several.map(prepare));
    const creations = await add(batch);
    for (const [index, { record, kept }] of batch.entries())
      if (kept && 'chunked' in kept && creations[index]!.outcome !== 'created')
        await payloads.deleteOfRecord(record.organizationId, record.id);
    return creations;
  };

  const shared = {
    bytesMax: 16 * 1024 * 1024,
    bytesOf: (batch: Prepared[]) => batch.reduce((sum, { kept }) => sum + 1024 + inlineBytes(kept), 0),
    itemsOf: (batch: Prepared[]) => batch.length,
    organizationOf: ([first]: Prepared[]) => first?.record.organizationId ?? '',
    commit: commitBatches,
  };
  const singles = createGroupCommit<Prepared[], Creation[]>({
    ...shared,
    itemsMax: 500,
    // One under way: the more wait for it, the more share the next.
    commitsMax: 1,
    waitingBytesMax: 128 * 1024 * 1024,
  });
  // Of its own, so that nobody who sends a single record waits behind a million.
  const uploads = createGroupCommit<Prepared[], Creation[]>({
    ...shared,
    itemsMax: 1000,
    commitsMax: 4,
    waitingBytesMax: 32 * 1024 * 1024,
  });

  return {
    create: creating(singles.add),
    createInBulk: creating(uploads.addWhenThereIsRoom),
    drain: async (): Promise<void> => {
      await Promise.all([singles.drain(), uploads.drain()]);
    },
  };
}

function toCreation({ document, fate, taken }: Entry): Creation {
  if (fate === 'created') return { outcome: 'created', isPending: document.pending.length > 0 };
  if (fate === 'held') return { outcome: 'held' };
  // Gone between the two: deleted in this moment. The client's repeat will make it.
  return taken ?? { outcome: 'gone' };
}

function take(entry: Entry, taken: Creation): void {
  entry.fate = 'taken';
  entry.taken = taken;
}

const replayOf = ({ bodyHash }: IdempotencyKey, key: KeyDocument): Creation =>
  key.bodyHash === bodyHash ? { outcome: 'replayed', recordId: key.recordId } : { outcome: 'key used with another body' };

/** Of those in a group that want the same unique key, the first one gets it. */
function takeOutRepeats(entries: Entry[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    const { runId, clientId, otelLinkId, idempotencyKey } = entry.record;
    const names = [clientId && `${runId} client ${clientId}`, otelLinkId && `${runId} span ${otelLinkId}`, idempotencyKey?.id];
    for (const name of names) {
      if (name === undefined) continue;
      if (seen.has(name)) entry.fate = 'taken';
      seen.add(name);
    }
  }
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
