import { unavailable } from '@assay/contracts/failure';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import {
  type Change,
  type StoredTestcase,
  type TestcaseDocument,
  toBuffer,
  toDocument,
} from './testcase.ts';
import type { VersionStore } from './versions.ts';

/**
 * What an entry did, or would do. `taken`: another testcase has its key, and it does nothing.
 */
export type EntryOutcome = 'created' | 'updated' | 'unchanged' | 'taken';

export interface WrittenEntry {
  /** The testcase that was written, or that has the key. */
  id: string;
  outcome: EntryOutcome;
}

export interface PlannedEntry extends WrittenEntry {
  /** Of the data that it replaces. */
  bytes?: number;
}

type IsSame = (stored: Buffer, sent: Uint8Array) => boolean;

export interface WriteOptions {
  /**
   * Compares the data of the testcase that has an entry's key with that of the entry, which replaces
   * it. Without this function the key is taken.
   */
  isSame?: IsSame | undefined;
  /** Who replaces data, and when. */
  change: Change;
  /** Called in the transaction before it writes. An error that it throws ends it. */
  claim?: (() => Promise<void>) | undefined;
  /** Whether nothing is written where one key is taken. */
  isAllOrNone?: boolean;
}

/** Times that a write is tried while others create testcases with the same keys. */
const triesMax = 5;
/** Data that one transaction replaces, and keeps as versions, in bytes. */
const replacedBytesMax = 32 * 1024 * 1024;

/** Writes testcases by their keys. */
export function createEntryStore(database: Database, versions: Pick<VersionStore, 'keep'>) {
  const testcases = database.collection<TestcaseDocument>('testcases');

  /** Says what each entry would do. Reads one stored testcase at a time. */
  async function planEntries(
    organizationId: string,
    testsetId: string,
    entries: StoredTestcase[],
    isSame?: IsSame,
  ): Promise<PlannedEntry[]> {
    const byKey = new Map<string, StoredTestcase>();
    for (const entry of entries)
      if (entry.key !== undefined && !byKey.has(entry.key)) byKey.set(entry.key, entry);
    const known = new Map<string, PlannedEntry>();
    if (byKey.size > 0)
      for await (const { _id, key, jsonData } of testcases
        .find(
          {
            organizationId,
            testsetId,
            key: { $exists: true, $in: [...byKey.keys()] },
          },
          isSame ? {} : { projection: { key: 1 } },
        )
        .batchSize(entries.length + 1)) {
        const outcome = !isSame
          ? 'taken'
          : isSame(jsonData, byKey.get(key!)!.jsonData)
            ? 'unchanged'
            : 'updated';
        known.set(key!, { id: _id, outcome, bytes: isSame ? jsonData.length : 0 });
        const turn = nextTurn();
        if (turn) await turn;
      }
    return entries.map(({ id, key }) => {
      if (key === undefined) return { id, outcome: 'created' };
      const existing = known.get(key);
      // A later entry with this key finds the testcase that this one makes.
      if (!existing) known.set(key, { id, outcome: 'taken' });
      return existing ?? { id, outcome: 'created' };
    });
  }

  /** Writes what is to be written, in the transaction under way. */
  async function write(
    organizationId: string,
    entries: StoredTestcase[],
    planned: WrittenEntry[],
    change: Change,
  ): Promise<void> {
    const created = entries.filter((_entry, at) => planned[at]!.outcome === 'created');
    const updates = entries.flatMap(({ jsonData }, at) =>
      planned[at]!.outcome === 'updated'
        ? [
            {
              updateOne: {
                filter: { _id: planned[at]!.id, organizationId },
                update: {
                  $set: { jsonData: toBuffer(jsonData), since: change.at },
                  $inc: { changes: 1 },
                },
              },
            },
          ]
        : [],
    );
    if (created.length > 0)
      await testcases.insertMany(created.map((entry) => toDocument(organizationId, entry)));
    if (updates.length === 0) return;
    const ids = updates.map(({ updateOne }) => updateOne.filter._id);
    await versions.keep(organizationId, ids, change);
    await testcases.bulkWrite(updates);
  }

  /** Does `work` in a transaction, again where others took a key after it looked. */
  async function retried<Result>(
    { length: documents }: StoredTestcase[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await database.transaction(work, { documents });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // A transaction around this one is lost with it.
        if (tries === triesMax || database.isInTransaction())
          throw unavailable('Others create testcases with the same keys at the moment.', error);
      }
    }
  }

  /**
   * Creates the entries or, by their keys, updates testcases; in one transaction, or in several where
   * they replace much data. Where nothing changes, nothing is written.
   */
  async function writeEntries(
    organizationId: string,
    testsetId: string,
    entries: StoredTestcase[],
    options: WriteOptions,
  ): Promise<WrittenEntry[]> {
    const { isSame, change, claim, isAllOrNone = false } = options;
    const plan = () => planEntries(organizationId, testsetId, entries, isSame);
    const before = isSame ? await plan() : [];
    if (before.length > 0 && !before.some(isWritten)) return before;
    if (entries.length > 1 && bytesReplaced(before) > replacedBytesMax) {
      const middle = Math.ceil(entries.length / 2);
      const half = (some: StoredTestcase[]) =>
        writeEntries(organizationId, testsetId, some, options);
      return [...(await half(entries.slice(0, middle))), ...(await half(entries.slice(middle)))];
    }
    return retried(entries, async () => {
      await claim?.();
      const planned = await plan();
      if (!(isAllOrNone && planned.some(({ outcome }) => outcome === 'taken')))
        await write(organizationId, entries, planned, change);
      return planned;
    });
  }

  return {
    planEntries,
    writeEntries,
    /**
     * Creates the entries whose ids do not exist. Undefined, and nothing is created, if one exists
     * with other data or another key.
     */
    createMissingEntries(
      organizationId: string,
      testsetId: string,
      entries: StoredTestcase[],
      change: Change,
    ): Promise<WrittenEntry[] | undefined> {
      return retried(entries, async () => {
        const found = await testcases
          .find({ _id: { $in: entries.map(({ id }) => id) }, organizationId })
          .toArray();
        const existing = new Map(found.map((document) => [document._id, document]));
        const differs = ({ id, key, jsonData }: StoredTestcase) => {
          const document = existing.get(id);
          // One that was deleted since was created all the same.
          if (!document?.testsetId) return false;
          return document.key !== key || !document.jsonData.equals(jsonData);
        };
        if (entries.some(differs)) return undefined;
        const missing = entries.filter(({ id }) => !existing.has(id));
        const planned = await planEntries(organizationId, testsetId, missing);
        await write(organizationId, missing, planned, change);
        const written = planned.values();
        return entries.map(({ id }) =>
          existing.has(id) ? { id, outcome: 'created' } : written.next().value!,
        );
      });
    },
  };
}

const bytesReplaced = (planned: PlannedEntry[]): number =>
  planned.reduce((sum, { outcome, bytes = 0 }) => sum + (outcome === 'updated' ? bytes : 0), 0);

const isWritten = ({ outcome }: WrittenEntry): boolean =>
  outcome === 'created' || outcome === 'updated';
