import type { Page } from '@assay/contracts/page';
import { instantOf } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import {
  type Change,
  currentVersion,
  type DeletedTestcaseDocument,
  isLive,
  type TestcaseDocument,
  toBuffer,
} from './testcase.ts';

/** Versions of one testcase that are kept where nothing else is said. */
export const versionsMaxDefault = 50;

/**
 * Data that a testcase had until it was changed; `restored` has none: before it, the testcase was
 * deleted.
 */
export interface VersionDocument {
  /** The testcase and the number: no version is kept twice. */
  _id: string;
  organizationId: string;
  testsetId: string;
  testcaseId: string;
  version: number;
  key?: string;
  jsonData?: Buffer;
  since?: Date;
  change: 'updated' | 'deleted' | 'restored';
  at: Date;
  userId: string;
}

/** Data that a testcase had before a change. */
export interface StoredVersion {
  testcaseId: string;
  testsetId: string;
  version: number;
  key: string | undefined;
  jsonData: Uint8Array;
  since: Date;
  change: 'updated' | 'deleted';
  at: Date;
  userId: string;
}

/** Documents that are written or deleted at once. */
const batchItemsMax = 1000;
const batchBytesMax = 8 * 1024 * 1024;

export type VersionStore = ReturnType<typeof createVersionStore>;

/** The data that testcases had before they were changed, at most `versionsMax` of each. */
export function createVersionStore(database: Database, versionsMax: number) {
  const testcases = database.collection<TestcaseDocument>('testcases');
  const deletedTestcases = database.collection<DeletedTestcaseDocument>('testcases');
  const versions = database.collection<VersionDocument>('testcaseVersions');

  /** Keeps the data of testcases that are about to be replaced; in the transaction under way. */
  async function keep(organizationId: string, ids: string[], change: Change): Promise<void> {
    if (versionsMax === 0) return;
    const newest = new Map<string, number>();
    let batch: VersionDocument[] = [];
    let bytes = 0;
    async function flush(): Promise<void> {
      if (batch.length > 0) await versions.insertMany(batch);
      batch = [];
      bytes = 0;
    }
    for await (const document of testcases.find({ _id: { $in: ids }, organizationId })) {
      batch.push({ ...versionOf(document), ...change, change: 'updated' });
      newest.set(document._id, currentVersion(document));
      bytes += document.jsonData.length;
      if (batch.length === batchItemsMax || bytes > batchBytesMax) await flush();
    }
    await flush();
    await forgetOldest(organizationId, newest);
  }

  /** Deletes the versions of testcases that are more than are kept, given their newest ones. */
  async function forgetOldest(organizationId: string, newest: Map<string, number>): Promise<void> {
    const full = [...newest].filter(([, version]) => version > versionsMax);
    if (full.length === 0) return;
    await versions.bulkWrite(
      full.map(([testcaseId, version]) => ({
        deleteMany: {
          filter: { organizationId, testcaseId, version: { $lte: version - versionsMax } },
        },
      })),
      { ordered: false },
    );
  }

  return {
    keep,
    /** Replaces the data; the key too, if one is given, or null to take it away. */
    async update(
      organizationId: string,
      id: string,
      { jsonData, key }: { jsonData: Uint8Array; key?: string | null | undefined },
      change: Change,
    ): Promise<'updated' | 'missing' | 'taken'> {
      const data = toBuffer(jsonData);
      try {
        return await database.transaction(async () => {
          const before = await testcases.findOne({ _id: id, organizationId, ...isLive });
          if (!before) return 'missing';
          const isSameKey = key === undefined || (key ?? undefined) === before.key;
          if (isSameKey && before.jsonData.equals(data)) return 'updated';
          await keep(organizationId, [id], change);
          await testcases.updateOne(
            { _id: id, organizationId },
            {
              $set: { jsonData: data, since: change.at, ...(typeof key === 'string' && { key }) },
              $inc: { changes: 1 },
              ...(key === null && { $unset: { key: true } }),
            },
          );
          return 'updated';
        });
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken';
        throw error;
      }
    },
    /**
     * Replaces the data of a testset's testcases by the result of `rewrite`, where there is
     * one. Returns how many changed.
     */
    rewrite(
      organizationId: string,
      { testsetId, ids }: { testsetId: string; ids: string[] },
      rewrite: (jsonData: Buffer) => Uint8Array | undefined,
      change: Change,
    ): Promise<number> {
      return database.transaction(
        async () => {
          const rewritten: { id: string; jsonData: Buffer }[] = [];
          for await (const { _id: id, jsonData } of testcases.find({
            _id: { $in: ids },
            organizationId,
            testsetId,
          })) {
            const data = rewrite(jsonData);
            if (data) rewritten.push({ id, jsonData: toBuffer(data) });
          }
          if (rewritten.length === 0) return 0;
          await keep(
            organizationId,
            rewritten.map(({ id }) => id),
            change,
          );
          await testcases.bulkWrite(
            rewritten.map(({ id, jsonData }) => ({
              updateOne: {
                filter: { _id: id, organizationId },
                update: { $set: { jsonData, since: change.at }, $inc: { changes: 1 } },
              },
            })),
          );
          return rewritten.length;
        },
        { documents: ids.length },
      );
    },
    /** Deletes testcases. Their data stays where it is, unless no versions are kept. */
    async delete(organizationId: string, ids: string[], { at, userId }: Change): Promise<void> {
      const filter = { _id: { $in: ids }, organizationId, ...isLive };
      if (versionsMax === 0) await testcases.deleteMany(filter);
      else
        await testcases.updateMany(filter, [
          {
            $set: {
              deleted: { testsetId: '$testsetId', key: '$key', at, userId: { $literal: userId } },
            },
          },
          { $unset: ['testsetId', 'key'] },
        ]);
    },
    /** Brings a deleted testcase back with this data, under its key. */
    async restoreDeleted(
      organizationId: string,
      id: string,
      jsonData: Uint8Array,
      change: Change,
    ): Promise<'restored' | 'missing' | 'taken'> {
      try {
        return await database.transaction(async () => {
          const before = await deletedTestcases.findOne({
            _id: id,
            organizationId,
            deleted: { $exists: true },
          });
          if (!before) return 'missing';
          const last = deletedVersionOf(before);
          const version = last.version + 1;
          const { jsonData: _data, since: _since, ...place } = last;
          const restored = {
            ...place,
            _id: `${versionId(id, version)}:restored`,
            version,
            ...change,
            change: 'restored' as const,
          };
          const { testsetId, key } = before.deleted;
          await versions.insertMany([last, restored]);
          await testcases.updateOne(
            { _id: id, organizationId },
            {
              $set: {
                testsetId,
                ...(key === undefined ? {} : { key }),
                jsonData: toBuffer(jsonData),
                since: change.at,
              },
              $unset: { deleted: true },
              $inc: { changes: 1 },
            },
          );
          await forgetOldest(organizationId, new Map([[id, last.version]]));
          return 'restored';
        });
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken';
        throw error;
      }
    },
    /** A page of the versions of a testcase, newest first, after the number `after`. */
    async list(
      organizationId: string,
      testcaseId: string,
      { limit, after }: { limit: number; after: string | undefined },
    ): Promise<Page<StoredVersion>> {
      const deleted = await findDeleted(organizationId, testcaseId);
      const before = after === undefined ? Number.POSITIVE_INFINITY : Number(after);
      const isListed = deleted !== undefined && deleted.version < before;
      const { documents, hasMore } = await takeWithin(
        versions
          .find({
            organizationId,
            testcaseId,
            version: { $lt: before },
            change: { $ne: 'restored' },
          })
          .sort({ version: -1 })
          .limit(limit + 1),
        { itemsMax: limit, bytesOf: ({ jsonData }) => jsonData!.length },
      );
      const found = documents.map(toVersion);
      const items = isListed ? [deleted, ...found].slice(0, limit) : found;
      const isCut = hasMore || found.length + (isListed ? 1 : 0) > limit;
      return { items, next: isCut ? String(items.at(-1)!.version) : null };
    },
    async find(
      organizationId: string,
      testcaseId: string,
      version: number,
    ): Promise<StoredVersion | undefined> {
      const kept = await versions.findOne({ _id: versionId(testcaseId, version), organizationId });
      if (kept) return toVersion(kept);
      const deleted = await findDeleted(organizationId, testcaseId);
      return deleted?.version === version ? deleted : undefined;
    },
    /** Returns the number of the version that a testcase has, unless it was deleted. */
    async present(organizationId: string, testcaseId: string): Promise<number | undefined> {
      const found = await testcases.findOne(
        { _id: testcaseId, organizationId, ...isLive },
        { projection: { changes: 1 } },
      );
      return found ? currentVersion(found) : undefined;
    },
    /** Deletes the versions and the deleted testcases of a testset, and yields after each batch. */
    async *deleteOf(organizationId: string, testsetId: string): AsyncGenerator<void> {
      const places = [
        { collection: versions, filter: { organizationId, testsetId } },
        { collection: testcases, filter: { organizationId, 'deleted.testsetId': testsetId } },
      ];
      for (const { collection, filter } of places)
        for (;;) {
          const found = await collection
            .find(filter as object, { projection: { _id: 1 } })
            .limit(batchItemsMax)
            .toArray();
          if (found.length === 0) break;
          await collection.deleteMany({
            _id: { $in: found.map(({ _id }) => _id) },
            organizationId,
          });
          yield;
        }
    },
  };

  async function findDeleted(
    organizationId: string,
    id: string,
  ): Promise<StoredVersion | undefined> {
    const found = await deletedTestcases.findOne({
      _id: id,
      organizationId,
      deleted: { $exists: true },
    });
    return found ? toVersion(deletedVersionOf(found)) : undefined;
  }
}

export const versionId = (testcaseId: string, version: number): string =>
  `${testcaseId}:${version}`;

const versionOf = (document: TestcaseDocument) => ({
  _id: versionId(document._id, currentVersion(document)),
  organizationId: document.organizationId,
  testsetId: document.testsetId,
  testcaseId: document._id,
  version: currentVersion(document),
  ...(document.key === undefined ? {} : { key: document.key }),
  jsonData: document.jsonData,
  ...(document.since ? { since: document.since } : {}),
});

function deletedVersionOf({ deleted, ...document }: DeletedTestcaseDocument): VersionDocument {
  const { testsetId, key, at, userId } = deleted;
  return {
    ...versionOf({ ...document, testsetId, ...(key === undefined ? {} : { key }) }),
    change: 'deleted',
    at,
    userId,
  };
}

const toVersion = (document: VersionDocument): StoredVersion => ({
  testcaseId: document.testcaseId,
  testsetId: document.testsetId,
  version: document.version,
  key: document.key,
  jsonData: document.jsonData!,
  since: document.since ?? instantOf(document.testcaseId),
  change: document.change as StoredVersion['change'],
  at: document.at,
  userId: document.userId,
});
