import { hasWords } from '@assay/contracts/name-words';
import type { FoundNames, WantedNames } from '@assay/contracts/names';
import type { Database } from '@assay/runtime/mongo/database';
import { findNamed } from '@assay/runtime/mongo/find-named';
import type { RunDocument } from './runs.ts';

/** The names of the runs of projects. */
export function createRunNames(database: Database) {
  const runs = database.collection<RunDocument>('runs');
  return {
    /** Newest first, expired ones too. */
    async find(
      organizationId: string,
      { projectId, words, ids, testsetId, metricId, limit }: WantedNames,
    ): Promise<FoundNames> {
      const documents = runs
        .find(
          {
            organizationId,
            projectId,
            ...(testsetId === undefined ? {} : { testsetId }),
            ...(metricId === undefined ? {} : { 'metrics.metricId': metricId }),
            ...(ids ? { _id: { $in: ids } } : {}),
            deletedAt: { $exists: false },
          },
          { projection: { name: 1, createdAt: 1, testsetId: 1, 'expired.at': 1 } },
        )
        .sort({ createdAt: -1, _id: -1 });
      const { found, isCut } = await findNamed(documents, {
        isWanted: ({ name }) => hasWords(name, words),
        limit,
      });
      const names = found.map(({ _id: id, name, createdAt, testsetId, expired }) => ({
        kind: 'run' as const,
        id,
        name: name ?? null,
        createdAt: createdAt.toISOString(),
        testsetId,
        ...(expired ? { expiredAt: expired.at.toISOString() } : {}),
      }));
      return { names, isCut };
    },
  };
}
