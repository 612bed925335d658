import type { ImportedAttachments } from '@assay/contracts/project-file';
import { missingOf } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import type { StoredTestset, TestsetDocument } from './testset.ts';

/** A project that is being imported: it is in none of the other collections. */
export interface StoredImport {
  projectId: string;
  name: string;
  description: string;
  traceRetentionDays?: number | undefined;
  runRetentionDays?: number | undefined;
  /** Makes the new ids. */
  idSecret: string;
}

/** An import that is there already; with the hash and the outcome of one that is finished. */
export interface FoundImport extends Pick<StoredImport, 'projectId' | 'idSecret'> {
  sha256: string | null;
  attachments: ImportedAttachments | null;
}

type ImportDocument = Omit<StoredImport, 'projectId'> & {
  _id: string;
  organizationId: string;
  /** Of its Idempotency-Key. */
  keyId?: string;
  /** When it is swept away, unless it is prolonged; there while it is under way. */
  expiresAt?: Date;
  /** Of the imported lines, once it is finished. Kept for repeats under its key. */
  sha256?: string;
  attachments?: ImportedAttachments;
  forgetAt?: Date;
};

/** The collection of imports, and the testsets that belong to one that is under way. */
export function createImportStore(database: Database) {
  const imports = database.collection<ImportDocument>('imports');
  const projects = database.collection<{ _id: string } & Record<string, unknown>>('projects');
  const testsets = database.collection<TestsetDocument>('testsets');
  const projectLock = createProjectLock(database);

  return {
    /** Begins an import. Returns the one with this key instead, if there is one. */
    async begin(
      organizationId: string,
      { projectId, ...begun }: StoredImport,
      { keyId, expiresAt }: { keyId: string | null; expiresAt: Date },
    ): Promise<FoundImport | undefined> {
      try {
        await imports.insertOne({
          _id: projectId,
          organizationId,
          ...begun,
          ...(keyId === null ? {} : { keyId }),
          expiresAt,
        });
        return undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // A repeat of this very call has begun it already.
        if (await imports.findOne({ _id: projectId, organizationId })) return undefined;
        const existing = await imports.findOne({ organizationId, keyId: keyId! });
        if (!existing) throw error;
        const { _id, idSecret, sha256 = null, attachments = null } = existing;
        return { projectId: _id, idSecret, sha256, attachments };
      }
    },
    /** Returns false if no such import is under way. */
    async prolong(organizationId: string, id: string, expiresAt: Date): Promise<boolean> {
      const { matchedCount } = await imports.updateOne(
        { _id: id, organizationId, expiresAt: { $exists: true } },
        { $set: { expiresAt } },
      );
      return matchedCount === 1;
    },
    /**
     * Stores testsets of an import that is under way, but for those that are there; false if there
     * is no such import. Inside a transaction.
     */
    async addTestsets(
      organizationId: string,
      projectId: string,
      added: StoredTestset[],
    ): Promise<boolean> {
      const found = await imports.findOneAndUpdate(
        { _id: projectId, organizationId, expiresAt: { $exists: true } },
        { $inc: { touches: 1 } as never },
      );
      if (!found) return false;
      const missing = await missingOf(testsets, { organizationId, projectId }, added);
      if (missing.length > 0)
        await testsets.insertMany(
          missing.map(({ id, ...testset }) => ({
            _id: id,
            organizationId,
            ...testset,
            isArriving: true as const,
          })),
        );
      return true;
    },
    /** Makes the project and its testsets visible. Inside a transaction. */
    async finish(
      organizationId: string,
      projectId: string,
      {
        sha256,
        attachments,
        forgetAt,
      }: { sha256: string; attachments: ImportedAttachments; forgetAt: Date },
    ): Promise<boolean> {
      const found = await imports.findOneAndUpdate(
        { _id: projectId, organizationId, expiresAt: { $exists: true } },
        { $set: { sha256, attachments, forgetAt }, $unset: { expiresAt: '' } },
      );
      if (!found) return false;
      const { name, description, traceRetentionDays, runRetentionDays } = found;
      await projects.insertOne({
        _id: projectId,
        organizationId,
        name,
        description,
        ...(traceRetentionDays === undefined ? {} : { traceRetentionDays }),
        ...(runRetentionDays === undefined ? {} : { runRetentionDays }),
      });
      await testsets.updateMany(
        { organizationId, projectId, isArriving: true },
        { $unset: { isArriving: '' } },
      );
      return true;
    },
    /** Was it finished before, as a repeat would find? */
    async isFinished(organizationId: string, projectId: string): Promise<boolean> {
      const found = await imports.findOne({ _id: projectId, organizationId });
      return found?.sha256 !== undefined;
    },
    /** Deletes an import that is under way: the ids of its testsets. Inside a transaction. */
    async abandon(organizationId: string, projectId: string): Promise<string[] | undefined> {
      const found = await imports.findOneAndDelete({
        _id: projectId,
        organizationId,
        expiresAt: { $exists: true },
      });
      if (!found) return undefined;
      await projectLock.close(organizationId, projectId);
      const within = await testsets
        .find({ organizationId, projectId }, { projection: { _id: 1 } })
        .toArray();
      await testsets.deleteMany({ organizationId, projectId });
      return within.map(({ _id }) => _id);
    },
    /** Organizations with imports that nobody prolonged in time. */
    expiredOrganizations: (now: Date): Promise<string[]> =>
      organizationsWith(imports, { expiresAt: { $lt: now } }),
    /** Takes the import of an organization that expired first; another sweep finds it after `until`. */
    async takeExpired(
      organizationId: string,
      { now, until }: { now: Date; until: Date },
    ): Promise<string | undefined> {
      const taken = await imports.findOneAndUpdate(
        { organizationId, expiresAt: { $lt: now } },
        { $set: { expiresAt: until } },
        { sort: { expiresAt: 1 }, projection: { _id: 1 } },
      );
      return taken?._id;
    },
    /** Yields the testsets of a project, oldest first. */
    async *listAll(organizationId: string, projectId: string): AsyncGenerator<StoredTestset> {
      for await (const { _id, organizationId: _organizationId, isArriving, ...testset } of testsets
        .find({ organizationId, projectId })
        .sort({ _id: 1 }))
        if (!isArriving)
          yield { id: _id, ...testset, baselineRunId: testset.baselineRunId ?? null };
    },
  };
}
