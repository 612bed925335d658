import { isThere, missingOf } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import {
  type StoredSystem,
  type StoredVersion,
  type SystemDocument,
  toSystem,
  toVersion,
  type VersionDocument,
} from './system.ts';

/** The systems of whole projects that are exported or imported. */
export function createPartStore(database: Database) {
  const projectLock = createProjectLock(database);
  const systems = database.collection<SystemDocument>('systems');
  const versions = database.collection<VersionDocument>('versions');

  return {
    async *listSystems(organizationId: string, projectId: string): AsyncGenerator<StoredSystem> {
      for await (const document of systems
        .find({ organizationId, projectId, ...isThere })
        .sort({ _id: 1 }))
        yield toSystem(document)!;
    },
    async *listVersions(organizationId: string, projectId: string): AsyncGenerator<StoredVersion> {
      for await (const document of versions
        .find({ organizationId, projectId, ...isThere })
        .sort({ _id: 1 }))
        yield toVersion(document)!;
    },

    /** Stores the missing ones, hidden. `gone`: the project was deleted. */
    async add(
      organizationId: string,
      projectId: string,
      added: { systems: StoredSystem[]; versions: StoredVersion[] },
    ): Promise<'added' | 'gone' | 'taken'> {
      try {
        return await database.transaction(async () => {
          if (!(await projectLock.enter(organizationId, projectId, projectId))) return 'gone';
          const scope = { organizationId, projectId };
          const newSystems = await missingOf(systems, scope, added.systems);
          const newVersions = await missingOf(versions, scope, added.versions);
          const isArriving = true as const;
          if (newSystems.length > 0)
            await systems.insertMany(
              newSystems.map(({ id, ...system }) => ({
                _id: id,
                organizationId,
                ...system,
                touches: 0,
                isArriving,
              })),
            );
          if (newVersions.length > 0)
            await versions.insertMany(
              newVersions.map(({ id, ...version }) => ({
                _id: id,
                organizationId,
                ...version,
                isArriving,
              })),
            );
          return 'added';
        });
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken';
        throw error;
      }
    },
    async reveal(organizationId: string, projectId: string): Promise<void> {
      const filter = { organizationId, projectId, isArriving: true as const };
      const update = { $unset: { isArriving: '' as const } };
      await database.transaction(async () => {
        await systems.updateMany(filter, update);
        await versions.updateMany(filter, update);
      });
    },
  };
}
