import type { Page, PageRequest } from '@assay/contracts/page';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import { rememberedMs } from '@assay/runtime/http/idempotency';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';

interface TestcaseDocument {
  _id: string;
  organizationId: string;
  testsetId: string;
  jsonData: Buffer;
}

/** A testcase as it is kept: the data as the bytes that were sent. */
export interface StoredTestcase {
  id: string;
  testsetId: string;
  jsonData: Uint8Array;
}

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
export function createStore(database: Database) {
  const testcases = database.collection<TestcaseDocument>('testcases');
  const deletedTestsets = database.collection<DeletedTestsetDocument>('deletedTestsets');
  const imports = database.collection<ImportDocument>('imports');

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

  /** A page of a testset's testcases, and one more. */
  const oldestFirst = (organizationId: string, testsetId: string, { limit, after }: PageRequest) =>
    testcases
      .find({ organizationId, testsetId, ...(after === undefined ? {} : { _id: { $gt: after } }) })
      .hint({ organizationId: 1, testsetId: 1, _id: 1 })
      .sort({ _id: 1 })
      .limit(limit + 1);

  return {
    transaction: database.transaction,
    readTestcases,

    /** All or none. */
    createTestcases(organizationId: string, items: StoredTestcase[]): Promise<void> {
      return database.transaction(async () => {
        await testcases.insertMany(items.map((item) => toDocument(organizationId, item)));
      });
    },
    /**
     * Creates the testcases that do not exist; all or none. False if one exists with other data.
     */
    createMissingTestcases(organizationId: string, items: StoredTestcase[]): Promise<boolean> {
      return database.transaction(async () => {
        const found = await testcases
          .find({ _id: { $in: items.map(({ id }) => id) }, organizationId })
          .toArray();
        const existing = new Map(found.map(({ _id, jsonData }) => [_id, jsonData]));
        if (
          items.some(({ id, jsonData }) => existing.has(id) && !existing.get(id)!.equals(jsonData))
        )
          return false;
        const missing = items.filter(({ id }) => !existing.has(id));
        if (missing.length > 0)
          await testcases.insertMany(missing.map((item) => toDocument(organizationId, item)));
        return true;
      });
    },
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
      return toTestcase(await testcases.findOne({ _id: id, organizationId }));
    },
    async listTestcases(
      organizationId: string,
      testsetId: string,
      page: PageRequest,
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
        after,
        itemsMax,
        bytesMax,
      }: {
        matches: (jsonData: Uint8Array) => boolean;
        after: string | undefined;
        itemsMax: number;
        bytesMax: number;
      },
    ): Promise<Page<StoredTestcase> & { read: number; bytes: number }> {
      const { documents, hasMore } = await takeWithin(
        oldestFirst(organizationId, testsetId, { limit: itemsMax, after }),
        { itemsMax, bytesMax, bytesOf },
      );
      const items: StoredTestcase[] = [];
      for (const document of documents) {
        if (matches(document.jsonData)) items.push(toTestcase(document)!);
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
    async updateTestcase(
      organizationId: string,
      id: string,
      jsonData: Uint8Array,
    ): Promise<boolean> {
      const { matchedCount } = await testcases.updateOne(
        { _id: id, organizationId },
        { $set: { jsonData: toBuffer(jsonData) } },
      );
      return matchedCount === 1;
    },
    /** Deletes the testcases with these ids. Returns the ids that existed. */
    async deleteTestcases(organizationId: string, ids: string[]): Promise<string[]> {
      const existing = await idsOf({ _id: { $in: ids }, organizationId });
      await testcases.deleteMany({ _id: { $in: existing }, organizationId });
      return existing;
    },

    countTestcases: (organizationId: string, testsetId: string): Promise<number> =>
      testcases.countDocuments({ organizationId, testsetId }),
    /** Returns the ids that exist, and whose testset is not deleted. */
    async existingTestcases(
      organizationId: string,
      testsetId: string | null,
      ids: string[],
    ): Promise<string[]> {
      const filter = {
        _id: { $in: ids },
        organizationId,
        ...(testsetId === null ? {} : { testsetId }),
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
          batch.map(({ jsonData }) =>
            toDocument(organizationId, { id: newId(), testsetId: toTestsetId, jsonData }),
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
        if (ids.length === 0) return;
        await testcases.deleteMany({ _id: { $in: ids }, organizationId });
        yield;
      }
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

const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const toDocument = (
  organizationId: string,
  { id, testsetId, jsonData }: StoredTestcase,
): TestcaseDocument => ({
  _id: id,
  organizationId,
  testsetId,
  jsonData: toBuffer(jsonData),
});

const toTestcase = (document: TestcaseDocument | null): StoredTestcase | undefined =>
  document
    ? { id: document._id, testsetId: document.testsetId, jsonData: document.jsonData }
    : undefined;
