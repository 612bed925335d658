import { hasWords } from '@assay/contracts/name-words';
import type { FoundNames, NameKind, WantedNames } from '@assay/contracts/names';
import { instantOf } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
import { findNamed } from '@assay/runtime/mongo/find-named';
import type { SystemDocument, VersionDocument } from './system.ts';

const nothing: FoundNames = { names: [], isCut: false };

/** The names of the systems of projects, and of their versions. */
export function createNameStore(database: Database) {
  const systems = database.collection<SystemDocument>('systems');
  const versions = database.collection<VersionDocument>('versions');

  const filterOf = (organizationId: string, { projectId, ids }: WantedNames) => ({
    organizationId,
    projectId,
    ...(ids ? { _id: { $in: ids } } : {}),
  });

  async function findSystems(organizationId: string, wanted: WantedNames): Promise<FoundNames> {
    const { found, isCut } = await findNamed(
      systems.find(filterOf(organizationId, wanted), { projection: { name: 1 } }).sort({ _id: -1 }),
      { isWanted: ({ name }) => hasWords(name, wanted.words), limit: wanted.limit },
    );
    return {
      names: found.map(({ _id: id, name }) => ({ kind: 'system', id, name, createdAt: made(id) })),
      isCut,
    };
  }

  /** A version of a deleted system has no page: it is found by its id only. */
  async function findVersions(organizationId: string, wanted: WantedNames): Promise<FoundNames> {
    const { projectId, ids, words, limit } = wanted;
    const systemNames = new Map(
      await systems
        .find({ organizationId, projectId }, { projection: { name: 1 } })
        .map(({ _id, name }) => [_id, name] as const)
        .toArray(),
    );
    const { found, isCut } = await findNamed(
      versions
        .find(filterOf(organizationId, wanted), { projection: { name: 1, systemId: 1 } })
        .sort({ _id: -1 }),
      {
        isWanted: ({ name, systemId }) => {
          const systemName = systemNames.get(systemId);
          if (systemName === undefined && !ids) return false;
          return hasWords(`${systemName ?? ''} ${name}`, words);
        },
        limit,
      },
    );
    const names = found.map(({ _id: id, name, systemId }) => {
      const systemName = systemNames.get(systemId);
      return {
        kind: 'systemVersion' as const,
        id,
        name,
        createdAt: made(id),
        systemId,
        ...(systemName === undefined ? {} : { systemName }),
      };
    });
    return { names, isCut };
  }

  return {
    /** The systems newest first, and then their versions newest first. */
    async find(organizationId: string, wanted: WantedNames): Promise<FoundNames> {
      const has = (kind: NameKind) => wanted.kinds.includes(kind);
      const both = [
        has('system') ? await findSystems(organizationId, wanted) : nothing,
        has('systemVersion') ? await findVersions(organizationId, wanted) : nothing,
      ];
      return {
        names: both.flatMap(({ names }) => names),
        isCut: both.some(({ isCut }) => isCut),
      };
    },
  };
}

const made = (id: string): string => instantOf(id).toISOString();
