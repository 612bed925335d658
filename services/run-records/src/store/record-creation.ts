import type { IdempotencyKey } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { JsonText } from '@assay/contracts/payload';
import { createGroupCommit } from '@assay/runtime/concurrency/group-commit';
import { awaitAll } from '@assay/runtime/concurrency/maybe-async';
import { rememberedMs } from '@assay/runtime/http/idempotency';
import type { Database } from '@assay/runtime/mongo/database';
import { duplicateAt, isConflict } from '@assay/runtime/mongo/errors';
import { type GivenScore, statesOfNew } from '../domain/accounts/given-score.ts';
import { withJoined } from '../domain/accounts/joined-metrics.ts';
import {
  accountOf,
  newScoreStates,
  type ScoreStates,
  sumOf,
} from '../domain/accounts/score-states.ts';
import { judgeOrderOf } from './judging.ts';
import { inlineBytes, type KeptPayloads, type PayloadStore, type Payloads } from './payloads.ts';
import {
  type Envelope,
  errorBytes,
  errorFieldOf,
  outcomesFieldOf,
  type RecordDocument,
} from './record.ts';
import { reviewOf } from './review.ts';
import type { RunStore, StoredRun } from './runs.ts';

/** A new record with the scores that came with it; the store adds those that its run misses. */
export interface NewRecord extends Omit<Envelope, keyof ScoreStates> {
  organizationId: string;
  contentHash?: string;
  payloads: Payloads<JsonText>;
  given?: GivenScore[];
  idempotencyKey: IdempotencyKey | undefined;
}

/**
 * The outcome for one record. `existing`: a record of the run has its `clientId` or `otelLinkId`.
 * `replayed`: created before under the same Idempotency-Key. `locked`: an uncommitted transaction,
 * maybe of a process that died, has written the same `clientId`, `otelLinkId` or key.
 */
export type Creation =
  | { outcome: 'created'; isPending: boolean }
  | { outcome: 'existing'; recordId: string }
  | { outcome: 'replayed'; recordId: string }
  | { outcome: 'locked' }
  | { outcome: 'run missing' }
  | { outcome: 'run expired'; at: Date }
  | { outcome: 'key used with another body' }
  | { outcome: 'deleted meanwhile' };

interface KeyDocument {
  _id: string;
  /** Keys of a process before 0.3.0 have none. */
  organizationId?: string;
  bodyHash: string;
  recordId: string;
  expiresAt: Date;
}

/**
 * A record whose large payloads are stored in chunks; `kept` is undefined if its run does not
 * exist.
 */
interface PreparedRecord {
  record: NewRecord;
  kept: KeptPayloads | undefined;
}

/** A record while its group is committed. */
interface Entry {
  record: NewRecord;
  /** The run as it was when its metrics were given to the record. */
  run: StoredRun;
  document: RecordDocument;
  state: 'new' | 'created' | 'existing' | 'locked';
  /** The outcome of an `existing` entry, once it was looked up. */
  existing?: Creation;
}

/** Tells the link ids of records that the transaction under way stores. */
export type AnnounceLinks = (organizationId: string, linkIds: string[]) => Promise<void>;

/** The time that a group waits for a conflicting transaction before it is halved, in ms. */
const conflictWaitMs = 100;

interface Dependencies {
  database: Database;
  runs: RunStore;
  payloads: PayloadStore;
  sweepOf: (states: Pick<ScoreStates, 'pending'>) => { sweepAt?: Date };
  changeScoreStates: (
    organizationId: string,
    changes: {
      run: StoredRun;
      ids: string[];
      change: (states: ScoreStates) => ScoreStates | undefined;
    },
  ) => Promise<string[]>;
  announceLinks: AnnounceLinks;
}

/** Creates records; requests that arrive together share a transaction. */
export function createRecordCreation({
  database,
  runs,
  payloads,
  sweepOf,
  changeScoreStates,
  announceLinks,
}: Dependencies) {
  const records = database.collection<RecordDocument>('records');
  const keys = database.collection<KeyDocument>('record_keys');

  /**
   * Finds the runs of a group, expired ones, too. A run that is about to expire stays for now, since
   * it gets a record.
   */
  async function findOpen(
    wanted: { organizationId: string; id: string }[],
  ): Promise<(StoredRun | undefined)[]> {
    for (;;) {
      const found = await runs.findEach(wanted, { withExpired: true });
      const closing = wanted.filter((_, index) => found[index]?.closingAt);
      if (closing.length === 0) return found;
      for (const { organizationId, id } of closing) await runs.reopen(organizationId, id);
    }
  }

  /** Reads the runs of a group in one query, then commits its records in one transaction. */
  async function commitRecords(group: PreparedRecord[]): Promise<Creation[]> {
    const found = await findOpen(
      group.map(({ record: { organizationId, runId } }) => ({ organizationId, id: runId })),
    );
    const entries = group.map(({ record, kept }, index) => {
      const run = found[index];
      return kept && run && !run.expired ? toEntry(record, run, kept) : undefined;
    });
    const known = entries.filter((entry) => entry !== undefined);
    markRepeats(known);
    await commitNew(known);
    await addJoined(known.filter(({ state }) => state === 'created'));
    await findExisting(known.filter(({ state, existing }) => state === 'existing' && !existing));
    return entries.map((entry, index) => (entry ? toCreation(entry) : withoutRun(found[index])));
  }

  function toEntry(record: NewRecord, run: StoredRun, kept: KeptPayloads): Entry {
    const { id, tags, payloads: _payloads, given, idempotencyKey: _key, ...envelope } = record;
    const states = statesOfNew(run.metrics, { given, hasError: record.error !== undefined });
    const document = {
      _id: id,
      ...envelope,
      ...(tags.length > 0 ? { tags } : {}),
      ...states,
      ...outcomesFieldOf(run, states),
      ...errorFieldOf(record),
      kept,
      failed: 0,
      ...sweepOf(states),
      ...reviewOf(run, states, record.assignees),
      ...judgeOrderOf(run, record),
    };
    return { record, run, document, state: 'new' };
  }

  /**
   * Commits all new entries but those whose `clientId`, `otelLinkId` or key exists. A group that
   * conflicts with an uncommitted transaction is halved until the conflicting record is alone, so
   * that it does not delay the others.
   */
  async function commitNew(entries: Entry[]): Promise<void> {
    for (;;) {
      const fresh = entries.filter(({ state }) => state === 'new');
      if (fresh.length === 0) return;
      try {
        await database.transaction(() => insert(fresh), { conflictWaitMs });
        for (const entry of fresh) entry.state = 'created';
      } catch (error) {
        if (error instanceof UniqueKeyTaken) {
          await findExisting(fresh);
          error.entry.state = 'existing';
        } else if (!(error instanceof Failure && isConflict(error.cause))) throw error;
        else if (fresh.length === 1) fresh[0]!.state = 'locked';
        else {
          await commitNew(fresh.slice(0, Math.ceil(fresh.length / 2)));
          await commitNew(fresh.slice(Math.ceil(fresh.length / 2)));
        }
      }
    }
  }

  async function insert(entries: Entry[]): Promise<void> {
    const keyed = entries.filter(({ record }) => record.idempotencyKey);
    const expiresAt = new Date(Date.now() + rememberedMs);
    const keyDocuments = keyed.map(({ record: { id, idempotencyKey } }) => ({
      _id: idempotencyKey!.id,
      organizationId: idempotencyKey!.organizationId,
      bodyHash: idempotencyKey!.bodyHash,
      recordId: id,
      expiresAt,
    }));
    if (keyed.length > 0) await keys.insertMany(keyDocuments).catch(toUniqueKeyTaken(keyed));
    await records
      .insertMany(entries.map(({ document }) => document))
      .catch(toUniqueKeyTaken(entries));
    for (const ofRun of byRun(entries)) {
      const { organizationId, runId } = ofRun[0]!.document;
      const large = ofRun.filter(({ document }) => 'chunked' in document.kept);
      await payloads.own(
        organizationId,
        large.map(({ document }) => document._id),
      );
      await runs.count(organizationId, runId, {
        ...sumOf(ofRun.map(({ document }) => accountOf(document))),
        records: ofRun.length,
      });
      const linkIds = ofRun.flatMap(({ document }) => document.otelLinkId ?? []);
      if (linkIds.length > 0) await announceLinks(organizationId, linkIds);
    }
  }

  /**
   * Gives new records the metrics that joined their run after it was read for them. A metric that
   * joins after this reading finds the records committed.
   */
  async function addJoined(entries: Entry[]): Promise<void> {
    const groups = byRun(entries);
    const found = await runs.findEach(
      groups.map(([{ document, run }]) => ({
        organizationId: document.organizationId,
        id: run.id,
      })),
    );
    for (const [index, [first, ...others]] of groups.entries()) {
      const run = found[index];
      if (!run || run.metrics.length === first.run.metrics.length) continue;
      const documents = [first, ...others].map(({ document }) => document);
      await changeScoreStates(first.document.organizationId, {
        run,
        ids: documents.map(({ _id }) => _id),
        change: (states) => withJoined(states, run.metrics),
      });
      // Only whether something is pending is asked for afterwards.
      const { pending } = newScoreStates(run.metrics);
      for (const document of documents) if (!document.errored) document.pending = pending;
    }
  }

  /**
   * Looks up the existing records of these entries, all at once: every line of a repeated upload
   * has one.
   */
  async function findExisting(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    const keyed = entries.filter(({ record }) => record.idempotencyKey);
    const ids = keyed.map(({ record }) => record.idempotencyKey!.id);
    const found = ids.length === 0 ? [] : await keys.find({ _id: { $in: ids } }).toArray();
    const remembered = new Map(found.map((key) => [key._id, key]));
    for (const entry of keyed) {
      const key = remembered.get(entry.record.idempotencyKey!.id);
      if (key) markExisting(entry, replayOf(entry.record.idempotencyKey!, key));
    }
    for (const ofRun of byRun(entries.filter(({ existing }) => !existing))) {
      for (const name of ['clientId', 'otelLinkId'] as const) await findNamed(ofRun, name);
    }
  }

  /** Marks the entries of one run whose `clientId` or `otelLinkId` a stored record has. */
  async function findNamed(entries: Entry[], name: 'clientId' | 'otelLinkId'): Promise<void> {
    const named = entries.filter(({ record }) => record[name] !== undefined);
    if (named.length === 0) return;
    const { organizationId, runId } = named[0]!.record;
    const filter = {
      organizationId,
      runId,
      [name]: { $in: named.map(({ record }) => record[name]!) },
    };
    const found = await records.find(filter, { projection: { [name]: 1 } }).toArray();
    const idOf = new Map(found.map((document) => [document[name], document._id]));
    for (const entry of named) {
      const recordId = idOf.get(entry.record[name]);
      if (recordId !== undefined) markExisting(entry, { outcome: 'existing', recordId });
    }
  }

  /** Commits several batches in one transaction. Returns the outcomes batch by batch. */
  async function commitBatches(batches: PreparedRecord[][]): Promise<Creation[][]> {
    const creations = (await commitRecords(batches.flat())).values();
    return batches.map((batch) => batch.map(() => creations.next().value!));
  }

  function prepare(record: NewRecord): PreparedRecord | Promise<PreparedRecord> {
    return payloads.isLarge(record.payloads)
      ? prepareLarge(record)
      : { record, kept: payloads.inline(record.payloads) };
  }

  async function prepareLarge(record: NewRecord): Promise<PreparedRecord> {
    const { organizationId, runId, id } = record;
    if (!(await runs.find(organizationId, runId, { withExpired: true })))
      return { record, kept: undefined };
    return {
      record,
      kept: await payloads.keepInChunks(organizationId, { runId, recordId: id }, record.payloads),
    };
  }

  /**
   * Stores large payloads before their record joins a group, so that only its own client waits for
   * them.
   */
  const creating =
    (add: (batch: PreparedRecord[]) => Promise<Creation[]>) => async (several: NewRecord[]) => {
      const batch = await awaitAll(several.map(prepare));
      const creations = await add(batch);
      for (const [index, { record, kept }] of batch.entries())
        if (kept && 'chunked' in kept && creations[index]!.outcome !== 'created')
          await payloads.deleteOfRecord(record.organizationId, record.id);
      return creations;
    };

  const shared = {
    bytesMax: 16 * 1024 * 1024,
    bytesOf: (batch: PreparedRecord[]) =>
      batch.reduce((sum, { record, kept }) => sum + bytesOf(record) + inlineBytes(kept), 0),
    itemsOf: (batch: PreparedRecord[]) => batch.length,
    organizationOf: ([first]: PreparedRecord[]) => first?.record.organizationId ?? '',
    commit: commitBatches,
  };
  const singles = createGroupCommit<PreparedRecord[], Creation[]>({
    ...shared,
    itemsMax: 500,
    // One under way: the more wait for it, the more share the next.
    commitsMax: 1,
    waitingBytesMax: 128 * 1024 * 1024,
  });
  // Of its own, so that nobody who sends a single record waits behind a million.
  const uploads = createGroupCommit<PreparedRecord[], Creation[]>({
    ...shared,
    // To write one keeps the event loop and the database for as long as it is large.
    itemsMax: 250,
    commitsMax: 2,
    commitsBesideOthers: 1,
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

/** The memory that a record takes beside its payloads, in bytes. */
const bytesOf = ({ given = [], metadata = '', error }: NewRecord): number =>
  given.reduce(
    (sum, { score }) => sum + score.text.length + 256,
    1024 + metadata.length + errorBytes(error),
  );

function toCreation({ document, state, existing }: Entry): Creation {
  if (state === 'created') return { outcome: 'created', isPending: document.pending.length > 0 };
  if (state === 'locked') return { outcome: 'locked' };
  // Deleted between the insert and the lookup; a repeat by the client creates it.
  return existing ?? { outcome: 'deleted meanwhile' };
}

const withoutRun = (run: StoredRun | undefined): Creation =>
  run?.expired ? { outcome: 'run expired', at: run.expired.at } : { outcome: 'run missing' };

function markExisting(entry: Entry, existing: Creation): void {
  entry.state = 'existing';
  entry.existing = existing;
}

const replayOf = ({ bodyHash }: IdempotencyKey, key: KeyDocument): Creation =>
  key.bodyHash === bodyHash
    ? { outcome: 'replayed', recordId: key.recordId }
    : { outcome: 'key used with another body' };

/** Marks all but the first of the entries of a group that have the same unique key. */
function markRepeats(entries: Entry[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    const { runId, clientId, otelLinkId, idempotencyKey } = entry.record;
    const names = [
      clientId && `${runId} client ${clientId}`,
      otelLinkId && `${runId} span ${otelLinkId}`,
      idempotencyKey?.id,
    ];
    for (const name of names) {
      if (name === undefined) continue;
      if (seen.has(name)) entry.state = 'existing';
      seen.add(name);
    }
  }
}

/** An insert violated a unique index; `entry` is the one that did. */
class UniqueKeyTaken extends Error {
  readonly entry: Entry;
  constructor(entry: Entry, cause: unknown) {
    super('a unique key is taken', { cause });
    this.entry = entry;
  }
}

const toUniqueKeyTaken =
  (entries: Entry[]) =>
  (cause: unknown): never => {
    const index = duplicateAt(cause);
    throw index === undefined ? cause : new UniqueKeyTaken(entries[index]!, cause);
  };

function byRun(entries: Entry[]): [Entry, ...Entry[]][] {
  const runs = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const ofRun = runs.get(entry.document.runId);
    if (ofRun) ofRun.push(entry);
    else runs.set(entry.document.runId, [entry]);
  }
  return [...runs.values()];
}
