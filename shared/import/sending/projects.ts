import { type Client, listAll } from '@assay/client/client';
import { findNamed, type Project } from '@assay/client/named';
import type { ImportedEntity } from './report.ts';

export interface ProjectTarget {
  /** Undefined in a dry run whose project is not there yet. */
  found: Project | undefined;
  report: ImportedEntity;
}

export const knownProject = (found: Project): ProjectTarget => ({
  found,
  report: { id: found.id, name: found.name, isNew: false },
});

/** The project of this name, which is made where there is none. */
export async function keepProject(
  client: Client,
  { wanted, dryRun }: { wanted: string; dryRun: boolean },
): Promise<ProjectTarget> {
  const known = findNamed(await listAll(client, '/projects'), { kind: 'project', wanted });
  if (known) return knownProject(known);
  if (dryRun) return { found: undefined, report: { id: null, name: wanted, isNew: true } };
  const body = { name: wanted, description: '' };
  const found = await client.request('POST', '/projects', { body });
  return { found, report: { id: found.id, name: found.name, isNew: true } };
}
