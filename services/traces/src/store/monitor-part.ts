import { type AuthorMove, authorFields } from '@assay/contracts/project-file';
import { isThere, missingOf } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { moveAuthors } from '@assay/runtime/mongo/move-authors';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import { type MonitorDocument, type StoredMonitor, toMonitor } from './monitors.ts';

/** The monitors of whole projects that are exported or imported. */
export function createMonitorPartStore(database: Database) {
  const projectLock = createProjectLock(database);
  const monitors = database.collection<MonitorDocument>('monitors');

  return {
    async *list(organizationId: string, projectId: string): AsyncGenerator<StoredMonitor> {
      for await (const document of monitors
        .find({ organizationId, projectId, ...isThere })
        .sort({ _id: 1 }))
        yield toMonitor(document);
    },

    /**
     * Stores the missing ones, hidden. `gone`: the project was deleted. `taken`: two of them have one
     * description.
     */
    async add(
      organizationId: string,
      projectId: string,
      added: StoredMonitor[],
    ): Promise<'added' | 'gone' | 'taken'> {
      try {
        return await database.transaction(async () => {
          if (!(await projectLock.enter(organizationId, projectId, projectId))) return 'gone';
          const missing = await missingOf(monitors, { organizationId, projectId }, added);
          if (missing.length > 0)
            await monitors.insertMany(
              missing.map(({ id, ...monitor }) => ({
                _id: id,
                organizationId,
                ...monitor,
                isArriving: true as const,
              })),
            );
          return 'added';
        });
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken';
        throw error;
      }
    },

    moveAuthor: (organizationId: string, { projectId, ...move }: AuthorMove): Promise<void> =>
      moveAuthors(monitors, { organizationId, projectId }, authorFields.monitor, move),

    async reveal(organizationId: string, projectId: string): Promise<void> {
      await monitors.updateMany(
        { organizationId, projectId, isArriving: true },
        { $unset: { isArriving: '' } },
      );
    },
  };
}
