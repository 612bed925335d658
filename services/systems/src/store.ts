import type { Page, PageRequest } from '@assay/contracts/page';
import { isThere } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import { createNameStore } from './store/names.ts';
import { createPartStore } from './store/project-part.ts';
import {
  type StoredSystem,
  type StoredVersion,
  type SystemDocument,
  toSystem,
  toVersion,
  type VersionDocument,
} from './store/system.ts';

export type { StoredSystem, StoredVersion } from './store/system.ts';

/** How many of a system's versions its reply lists: the newest. */
export const versionsListedMax = 1000;

export interface VersionName {
  id: string;
  name: string;
}

export type Store = ReturnType<typeof createStore>;

/** The collections of systems and versions. Documents of other organizations are never found. */
export function createStore(database: Database) {
  const projectLock = createProjectLock(database);
  const systems = database.collection<SystemDocument>('systems');
  const versions = database.collection<VersionDocument>('versions');

  return {
    transaction: database.transaction,
    parts: createPartStore(database),
    names: createNameStore(database),

    /**
     * Makes this transaction and every other that claims the name come one after the other. False
     * when the project is gone.
     */
    claimName: projectLock.enter,
    /** Deletes all that is in a project, and lets nothing be made in it from now on. */
    async forgetProject(organizationId: string, projectId: string): Promise<void> {
      await projectLock.close(organizationId, projectId);
      await systems.deleteMany({ organizationId, projectId });
      await versions.deleteMany({ organizationId, projectId });
    },

    /**
     * Makes this transaction and every other that writes to the system come one after the other.
     * Undefined if there is no such system.
     */
    async claimSystem(organizationId: string, id: string): Promise<StoredSystem | undefined> {
      return toSystem(
        await systems.findOneAndUpdate(
          { _id: id, organizationId, ...isThere },
          { $inc: { touches: 1 } },
          { returnDocument: 'after' },
        ),
      );
    },
    async createSystem(organizationId: string, { id, ...system }: StoredSystem): Promise<void> {
      await systems.insertOne({ _id: id, organizationId, ...system, touches: 0 });
    },
    async findSystem(organizationId: string, id: string): Promise<StoredSystem | undefined> {
      return toSystem(await systems.findOne({ _id: id, organizationId, ...isThere }));
    },
    async findSystemByName(
      organizationId: string,
      projectId: string,
      name: string,
    ): Promise<StoredSystem | undefined> {
      return toSystem(await systems.findOne({ organizationId, projectId, name }));
    },
    listSystems(
      organizationId: string,
      projectId: string,
      page: PageRequest,
    ): Promise<Page<StoredSystem>> {
      return findPage(systems, {
        filter: { organizationId, projectId },
        page,
        toItem: (document) => toSystem(document)!,
      });
    },
    async updateSystem(organizationId: string, { id, ...system }: StoredSystem): Promise<void> {
      await systems.updateOne({ _id: id, organizationId }, { $set: system });
    },
    async deleteSystem(organizationId: string, id: string): Promise<boolean> {
      return (await systems.deleteOne({ _id: id, organizationId, ...isThere })).deletedCount === 1;
    },

    async createVersion(organizationId: string, { id, ...version }: StoredVersion): Promise<void> {
      await versions.insertOne({ _id: id, organizationId, ...version });
    },
    async findVersion(organizationId: string, id: string): Promise<StoredVersion | undefined> {
      return toVersion(await versions.findOne({ _id: id, organizationId, ...isThere }));
    },
    async findVersions(organizationId: string, ids: string[]): Promise<StoredVersion[]> {
      return (await versions.find({ _id: { $in: ids }, organizationId }).toArray()).map(
        (document) => toVersion(document)!,
      );
    },
    async findVersionByConfig(
      organizationId: string,
      systemId: string,
      configHash: string,
    ): Promise<StoredVersion | undefined> {
      return toVersion(await versions.findOne({ organizationId, systemId, configHash }));
    },
    async renameVersion(organizationId: string, id: string, name: string): Promise<void> {
      await versions.updateOne({ _id: id, organizationId }, { $set: { name } });
    },
    countVersions(organizationId: string, systemId: string): Promise<number> {
      return versions.countDocuments({ organizationId, systemId });
    },
    async isVersionName(organizationId: string, systemId: string, name: string): Promise<boolean> {
      return (
        (await versions.findOne({ organizationId, systemId, name }, { projection: { _id: 1 } })) !==
        null
      );
    },
    /** The newest versions of each of these systems, oldest first. */
    async listVersionNames(
      organizationId: string,
      systemIds: string[],
    ): Promise<Map<string, VersionName[]>> {
      const newest = {
        $topN: { n: versionsListedMax, sortBy: { _id: -1 }, output: { id: '$_id', name: '$name' } },
      };
      const groups = await versions
        .aggregate<{ _id: string; newest: VersionName[] }>([
          { $match: { organizationId, systemId: { $in: systemIds } } },
          { $group: { _id: '$systemId', newest } },
        ])
        .toArray();
      return new Map(groups.map((group) => [group._id, group.newest.reverse()]));
    },
  };
}
