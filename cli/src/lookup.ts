import { type Client, listAll, orUndefined } from '@assay/client/client';
import { findProject as findNamedProject, projectsOf, seekRun } from '@assay/client/find';
import {
  findNamed,
  isId,
  type NamedItem,
  type Project,
  type Testset,
  unknownName,
} from '@assay/client/named';
import type { ReplyOf } from '@assay/client/operations';
import { CommandFailure } from './failure.ts';

/** Of commands that make a project where they are told to. */
export const howToMake = 'To make it, add --create-project.';

/** The figures of one metric version in a run's summary. */
export type RunMetric = ReplyOf<'GET', '/runs/:runId/summary'>['metrics'][number];

export const readSummary = (
  client: Client,
  runId: string,
): Promise<ReplyOf<'GET', '/runs/:runId/summary'>> =>
  client.request('GET', '/runs/:runId/summary', { params: { runId } });

/** The project of this name or id; the only one there is where none is named. */
export async function findProject(
  client: Client,
  wanted: string | undefined,
  { canMake = false }: { canMake?: boolean } = {},
): Promise<Project> {
  if (wanted !== undefined)
    return findNamedProject(client, wanted, canMake ? howToMake : undefined);
  const projects = await listAll(client, '/projects');
  const [only, ...others] = projects;
  if (!only)
    throw new CommandFailure(
      canMake
        ? `There is no project yet: name one with --project. ${howToMake}`
        : 'There is no project yet: make one in the console, or by assay import.',
    );
  if (others.length > 0)
    throw new CommandFailure(
      `There are ${projects.length} projects: name one with --project, such as ${projects
        .slice(0, 5)
        .map(({ name }) => `"${name}"`)
        .join(', ')}.`,
    );
  return only;
}

/** The run, the testset or the project of this id or name. */
export async function findExportable(
  client: Client,
  wanted: string,
  project: string | undefined,
): Promise<{ kind: 'run' | 'testset' | 'project'; id: string }> {
  const found = [
    { kind: 'run' as const, item: await seekRun({ client, wanted, project }) },
    { kind: 'testset' as const, item: await seekTestset(client, wanted, project) },
    { kind: 'project' as const, item: await seekProject(client, wanted, project) },
  ].flatMap(({ kind, item }) => (item ? [{ kind, id: item.id }] : []));
  if (found.length > 1)
    throw new CommandFailure(
      `A ${found.map(({ kind }) => kind).join(' and a ')} are called "${wanted}": give an id, ${found
        .map(({ kind, id }) => `${id} (${kind})`)
        .join(' or ')}.`,
    );
  if (found[0]) return found[0];
  const others: NamedItem[] = await projectsOf(client, project);
  for (const { id } of [...others]) {
    others.push(
      ...(await listAll(client, '/projects/:projectId/testsets', { params: { projectId: id } })),
    );
    const runs = await client.request('GET', '/projects/:projectId/runs', {
      params: { projectId: id },
      query: { limit: 100 },
    });
    others.push(...runs.data);
  }
  throw unknownName(
    { kind: 'run, testset or project', wanted },
    others.flatMap(({ name }) => name ?? []),
  );
}

/** No project is sought in a project that is named. */
async function seekProject(client: Client, wanted: string, project: string | undefined) {
  if (project !== undefined) return undefined;
  return findNamed(await listAll(client, '/projects'), { kind: 'project', wanted });
}

async function seekTestset(client: Client, wanted: string, project: string | undefined) {
  if (isId(wanted))
    return orUndefined(
      client.request('GET', '/testsets/:testsetId', { params: { testsetId: wanted } }),
    );
  const named: Testset[] = [];
  for (const { id } of await projectsOf(client, project))
    named.push(
      ...(await listAll(client, '/projects/:projectId/testsets', { params: { projectId: id } })),
    );
  return findNamed(named, { kind: 'testset', wanted });
}
