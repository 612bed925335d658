import { hasWords } from '@assay/contracts/name-words';
import type { FoundNames, WantedNames } from '@assay/contracts/names';
import type { Database } from '@assay/runtime/mongo/database';
import { findNamed } from '@assay/runtime/mongo/find-named';
import type { MonitorDocument } from './monitors.ts';

/** The names of the monitors of projects: their descriptions. */
export function createMonitorNames(database: Database) {
  const monitors = database.collection<MonitorDocument>('monitors');
  return {
    /** Newest first. */
    async find(
      organizationId: string,
      { projectId, words, ids, limit }: WantedNames,
    ): Promise<FoundNames> {
      const documents = monitors
        .find(
          { organizationId, projectId, ...(ids ? { _id: { $in: ids } } : {}) },
          { projection: { description: 1, createdAt: 1 } },
        )
        .sort({ _id: -1 });
      const { found, isCut } = await findNamed(documents, {
        isWanted: ({ description }) => hasWords(description, words),
        limit,
      });
      const names = found.map(({ _id: id, description, createdAt }) => ({
        kind: 'monitor' as const,
        id,
        name: description,
        createdAt: createdAt.toISOString(),
      }));
      return { names, isCut };
    },
  };
}
