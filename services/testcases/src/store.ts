import type { Page, PageRequest } from '@assay/contracts/page';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import { rememberedMs } from '@assay/runtime/http/idempotency';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import { createAnnotationStore } from './store/annotations.ts';
import { createChangeStore } from './store/changes.ts';
import { createDeletionStore } from './store/deletions.ts';
import { createEntryStore } from './store/entries.ts';
import { createSyncStore } from './store/syncs.ts';
import {
  type Change,
  isLive,
  type StoredTestcase,
  type TestcaseDocument,
  toDocument,
  toTestcase,
} from './store/testcase.ts';
import { createVersionStore, versionsMaxDefault } from './store/versions.ts';

export type { ChangeEvent, EventKey, TestcaseHistory, TestcaseState } from './store/changes.ts';
export { deletedDaysDefault } from './store/deletions.ts';
export type { EntryOutcome, WrittenEntry } from './store/entries.ts';
export type { Change, StoredTestcase } from './store/testcase.ts';
export type { StoredVersion } from './store/versions.ts';
export { versionsMaxDefault } from './store/versions.ts';

interface DeletedTestsetDocument {
  _id: string;
  organizationId: string;
  deletedAt: Date;
}

/** An import that carries an Idempotency-Key. */
interface ImportDocument {
  _id: string;
  organizationId: string;
  startedAt: Date;
  expiresAt: Date;
}

/**
 * The size of one batch that is written or deleted: large enough to be fast, small enough to keep
 * memory flat.
 */
const batchItemsMax = 1000;
const batchBytesMax = 8 * 1024 * 1024;

export type Store = ReturnType<typeof createStore>;

/** The testcases' collections. Documents of other organizations are never found. */
export function createStore(
  database: Database,
  { versionsMax = versionsMaxDefault }: { versionsMax?: number | undefined } = {},
) {
  const versions = createVersionStore(database, versionsMax);
  const testcases = database.collection<TestcaseDocument>('testcases');
  const deletedTestsets = database.collection<DeletedTestsetDocument>('deletedTestsets');
  const imports = database.collection<ImportDocument>('imports');
  const annotations = createAnnotationStore(database);

  /** The testcases of a testset, oldest first: all, or those of the ids. */
  async function* readTestcases(
    organizationId: string,
    testsetId: string,
    ids?: string[],
  ): AsyncGenerator<StoredTestcase> {
    const filter = { organizationId, testsetId, ...(ids ? { _id: { $in: ids } } : {}) };
    for await (const document of testcases.find(filter).sort({ _id: 1 }).batchSize(batchItemsMax))
      yield toTestcase(document)!;
  }

  /** A page of a testset's testcases, or of those with the ids, and one more. */
  const oldestFirst = (
    organizationId: string,
    testsetId: string,
    { limit, after, ids }: PageRequest & { ids?: string[] | undefined },
  ) =>
    testcases
      .find({
        organizationId,
        testsetId,
        _id: { $gt: after ?? '', ...(ids && { $in: ids }) },
      })
      .hint({ organizationId: 1, testsetId: 1, _id: 1 })
      .sort({ _id: 1 })
      .limit(limit + 1);

  return {
    transaction: database.transaction,
    annotations,
    ...createEntryStore(database, versions),
    ...createChangeStore(database),
    ...createDeletionStore(database),
    listVersions: versions.list,
    findVersion: versions.find,
    presentVersion: versions.present,
    restoreDeleted: versions.restoreDeleted,
    updateTestcase: versions.update,
    rewriteTestcases: versions.rewrite,
    ...createSyncStore(database),
    readTestcases,
    /** The same in batches that fit into memory. */
    readTestcaseBatches: (organizationId: string, testsetId: string) =>
      inBatches(readTestcases(organizationId, testsetId)),

    /** When the first import with this Idempotency-Key began. */
    async startImport(organizationId: string, key: string): Promise<Date> {
      const now = Date.now();
      const first = {
        organizationId,
        startedAt: new Date(now),
        expiresAt: new Date(now + rememberedMs),
      };
      try {
        await imports.insertOne({ _id: key, ...first });
        return first.startedAt;
      } catch (error) {
        const started = isDuplicateKey(error) ? await imports.findOne({ _id: key }) : null;
        if (!started) throw error;
        return started.startedAt;
      }
    },
    async findTestcase(organizationId: string, id: string): Promise<StoredTestcase | undefined> {
      return toTestcase(await testcases.findOne({ _id: id, organizationId, ...isLive }));
    },
    async listTestcases(
      organizationId: string,
      testsetId: string,
      page: PageRequest & { ids?: string[] | undefined },
    ): Promise<Page<StoredTestcase>> {
      const { documents, hasMore } = await takeWithin(
        oldestFirst(organizationId, testsetId, page),
        { itemsMax: page.limit, bytesOf },
      );
      return {
        items: documents.map((document) => toTestcase(document)!),
        next: hasMore ? documents.at(-1)!._id : null,
      };
    },
    /**
     * Reads testcases, oldest first, as many as fit into both bounds but at least one, and returns
     * those that match; how many were read, of how many bytes, and the last of them if others
     * follow.
     */
    async searchTestcases(
      organizationId: string,
      testsetId: string,
      {
        matches,
        ids,
        after,
        itemsMax,
        bytesMax,
      }: {
        matches: (testcase: StoredTestcase) => boolean;
        ids?: string[] | undefined;
        after: string | undefined;
        itemsMax: number;
        bytesMax: number;
      },
    ): Promise<Page<StoredTestcase> & { read: number; bytes: number }> {
      const { documents, hasMore } = await takeWithin(
        oldestFirst(organizationId, testsetId, { limit: itemsMax, after, ids }),
        { itemsMax, bytesMax, bytesOf },
      );
      const items: StoredTestcase[] = [];
      for (const document of documents) {
        const testcase = toTestcase(document)!;
        if (matches(testcase)) items.push(testcase);
        const turn = nextTurn();
        if (turn) await turn;
      }
      return {
        items,
        read: documents.length,
        bytes: documents.reduce((sum, document) => sum + bytesOf(document), 0),
        next: hasMore ? documents.at(-1)!._id : null,
      };
    },
    /** A page of the ids of a testset's testcases, oldest first: of all, or of those with the ids. */
    async listIds(
      organizationId: string,
      testsetId: string,
      { limit, after, ids }: PageRequest & { ids: string[] | undefined },
    ): Promise<{ ids: string[]; next: string | null }> {
      const found = await oldestFirst(organizationId, testsetId, { limit, after, ids })
        .project<{ _id: string }>({ _id: 1 })
        .toArray();
      const page = found.slice(0, limit).map(({ _id }) => _id);
      return { ids: page, next: found.length > limit ? page.at(-1)! : null };
    },
    /** Returns the ids of the testcases that have these keys, by their keys. */
    async testcasesOfKeys(
      organizationId: string,
      testsetId: string,
      keys: string[],
    ): Promise<Map<string, string>> {
      const found = await testcases
        .find(
          { organizationId, testsetId, key: { $exists: true, $in: keys } },
          { projection: { key: 1 } },
        )
        .toArray();
      return new Map(found.map(({ _id, key }) => [key!, _id]));
    },
    /** Returns the ids of the testcases that have these keys. */
    idsOfKeys: (organizationId: string, testsetId: string, keys: string[]): Promise<string[]> =>
      idsOf({ organizationId, testsetId, key: { $exists: true, $in: keys } }),
    async hasKeys(organizationId: string, testsetId: string): Promise<boolean> {
      const filter = { organizationId, testsetId, key: { $exists: true } };
      return (await testcases.findOne(filter, { projection: { _id: 1 } })) !== null;
    },
    /** Returns the ids of a testset's testcases but for those in `known`, if they are not too many. */
    async otherIds(
      organizationId: string,
      testsetId: string,
      { known, idsMax }: { known: ReadonlySet<string>; idsMax: number },
    ): Promise<string[] | undefined> {
      const others: string[] = [];
      for await (const { _id } of testcases
        .find({ organizationId, testsetId }, { projection: { _id: 1 } })
        .hint({ organizationId: 1, testsetId: 1, _id: 1 })
        .batchSize(10 * batchItemsMax)) {
        if (known.has(_id)) continue;
        if (others.length === idsMax) return undefined;
        others.push(_id);
      }
      return others;
    },
    /** Returns the keys of testcases, by their ids; those without one have none. */
    async keysOf(organizationId: string, ids: string[]): Promise<Map<string, string>> {
      const found = await testcases
        .find({ _id: { $in: ids }, organizationId, ...isLive }, { projection: { key: 1 } })
        .toArray();
      return new Map(found.flatMap(({ _id, key }) => (key === undefined ? [] : [[_id, key]])));
    },
    /** Deletes the testcases with these ids, and their annotations. Returns the ids that existed. */
    deleteTestcases(organizationId: string, ids: string[], change: Change): Promise<string[]> {
      return database.transaction(
        async () => {
          const existing = await idsOf({ _id: { $in: ids }, organizationId, ...isLive });
          if (existing.length === 0) return [];
          await versions.delete(organizationId, existing, change);
          await annotations.deleteOfTestcases(organizationId, existing);
          return existing;
        },
        { documents: ids.length },
      );
    },

    /** With `max`, it counts no further. */
    countTestcases: (
      organizationId: string,
      testsetId: string,
      { max }: { max?: number } = {},
    ): Promise<number> =>
      testcases.countDocuments(
        { organizationId, testsetId },
        max === undefined ? {} : { limit: max },
      ),
    /** Returns the ids that exist, and whose testset is not deleted. */
    async existingTestcases(
      organizationId: string,
      testsetId: string | null,
      ids: string[],
    ): Promise<string[]> {
      const filter = {
        _id: { $in: ids },
        organizationId,
        ...(testsetId === null ? isLive : { testsetId }),
      };
      const found = await testcases.find(filter, { projection: { testsetId: 1 } }).toArray();
      const testsetIds = [...new Set(found.map((testcase) => testcase.testsetId))];
      const marks = await deletedTestsets
        .find({ _id: { $in: testsetIds }, organizationId })
        .toArray();
      const deleted = new Set(marks.map(({ _id }) => _id));
      return found.filter((testcase) => !deleted.has(testcase.testsetId)).map(({ _id }) => _id);
    },
    /**
     * Copies in the same order: how many. Not a transaction, since nobody sees the testset of the
     * copies yet.
     */
    async copyTestcases(
      organizationId: string,
      fromTestsetId: string,
      toTestsetId: string,
      newId: () => string,
    ): Promise<number> {
      let count = 0;
      for await (const batch of inBatches(readTestcases(organizationId, fromTestsetId))) {
        await testcases.insertMany(
          batch.map(({ key, jsonData }) =>
            toDocument(organizationId, { id: newId(), testsetId: toTestsetId, key, jsonData }),
          ),
        );
        count += batch.length;
      }
      return count;
    },

    /** Marks a testset as deleted, so that its testcases are removed. Idempotent. */
    async markDeletedTestset(organizationId: string, id: string, deletedAt: Date): Promise<void> {
      await deletedTestsets.updateOne(
        { _id: id },
        { $setOnInsert: { organizationId, deletedAt } },
        { upsert: true },
      );
    },
    /** Deletes all testcases of a testset, and yields after each batch. */
    async *deleteTestcasesOf(organizationId: string, testsetId: string): AsyncGenerator<void> {
      for (;;) {
        const ids = await idsOf({ organizationId, testsetId }, batchItemsMax);
        if (ids.length === 0) break;
        // Found by their testcases, so they go first.
        await annotations.deleteOfTestcases(organizationId, ids);
        await testcases.deleteMany({ _id: { $in: ids }, organizationId });
        yield;
      }
      yield* versions.deleteOf(organizationId, testsetId);
    },
  };

  async function idsOf(filter: object, limit = 0): Promise<string[]> {
    const found = await testcases
      .find(filter, { projection: { _id: 1 } })
      .limit(limit)
      .toArray();
    return found.map(({ _id }) => _id);
  }
}

async function* inBatches(items: AsyncIterable<StoredTestcase>): AsyncGenerator<StoredTestcase[]> {
  let batch: StoredTestcase[] = [];
  let bytes = 0;
  for await (const item of items) {
    batch.push(item);
    bytes += item.jsonData.length;
    if (batch.length < batchItemsMax && bytes < batchBytesMax) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const bytesOf = ({ jsonData }: TestcaseDocument): number => jsonData.length;
