import { hasWords } from '@assay/contracts/name-words';
import type { FoundNames, WantedNames } from '@assay/contracts/names';
import { instantOf } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
import { findNamed } from '@assay/runtime/mongo/find-named';
import type { MetricDocument } from './metric.ts';

/** The names of the metrics of projects. */
export function createNameStore(database: Database) {
  const metrics = database.collection<MetricDocument>('metrics');
  return {
    /** Newest first. */
    async find(
      organizationId: string,
      { projectId, words, ids, limit }: WantedNames,
    ): Promise<FoundNames> {
      const documents = metrics
        .find(
          { organizationId, projectId, ...(ids ? { _id: { $in: ids } } : {}) },
          { projection: { name: 1 } },
        )
        .sort({ _id: -1 });
      const { found, isCut } = await findNamed(documents, {
        isWanted: ({ name }) => hasWords(name, words),
        limit,
      });
      const names = found.map(({ _id: id, name }) => ({
        kind: 'metric' as const,
        id,
        name,
        createdAt: instantOf(id).toISOString(),
      }));
      return { names, isCut };
    },
  };
}
