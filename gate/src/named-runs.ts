import { type Client, orUndefined } from '@assay/client/client';
import type { ItemOf, QueryOf } from '@assay/client/operations';
import { printable } from '@assay/client/printable';
import { CannotTell } from './failure.ts';
import { findProjects, type NamedRun, testsetOf } from './lookup.ts';

/** The ways to name a baseline that is not one run for ever, for helps and errors. */
export const baselineForms =
  "an id, a name, branch:NAME, latest:NAME, production, or baseline (the testset's own)";

/** The testset on which runs are compared, and the run that is no baseline of itself. */
export interface Surroundings {
  testsetId: string | null;
  /** Undefined where the run is still to be made. */
  ownRunId: string | undefined;
  /** The system of the candidate, where it is known. */
  systemId: string | null;
}

interface Search {
  client: Client;
  wanted: string;
  /** The name or id of the project; all are searched where none is named. */
  project: string | undefined;
}

type RunsQuery = QueryOf<'GET', '/projects/:projectId/runs'>;

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const newestForm = /^(branch|latest):(.*)$/s;

/**
 * Finds the run of this id or name, or the newest completed one of `branch:NAME` or `latest:NAME`.
 * @throws CannotTell where there is none, or where several have the name.
 */
export async function findRun(search: Search & { role: string }): Promise<NamedRun> {
  const { client, wanted, project, role } = search;
  const [, kind, name] = newestForm.exec(wanted) ?? [];
  if (kind !== undefined) {
    for (const { id } of await findProjects(client, project)) {
      const query = queryOf(kind, name!);
      const found = await newestRun({ client, projectId: id, query, name });
      if (found) return found;
    }
    throw noneLike({ kind, name: name!, where: '' });
  }
  if (idForm.test(wanted)) {
    const found = await orUndefined(
      client.request('GET', '/runs/:runId', { params: { runId: wanted } }),
    );
    if (found) return found;
    throw new CannotTell(
      `There is no run ${wanted}, which is to be the ${role}: it is not of the key's organization, or was deleted.`,
    );
  }
  return findByName(search);
}

async function findByName({ client, wanted, project, role }: Search & { role: string }) {
  const found: NamedRun[] = [];
  for (const { id } of await findProjects(client, project))
    for await (const run of client.list('/projects/:projectId/runs', {
      params: { projectId: id },
      query: { name: wanted },
    }))
      if (run.name === wanted) found.push(run);
  const [only, ...others] = found;
  if (!only)
    throw new CannotTell(
      `There is no run "${printable(wanted)}", which is to be the ${role}: give ${baselineForms}.`,
    );
  if (others.length === 0) return only;
  throw new CannotTell(
    `${found.length} runs are called "${printable(wanted)}": give an id, ${found
      .slice(0, 5)
      .map(({ id }) => id)
      .join(' or ')}, or latest:${printable(wanted)} for the newest.`,
  );
}

/**
 * Finds the run to compare with, as `findRun` does, among the runs of the same testset; also the
 * newest completed one of the production version, and the baseline of the testset.
 * @throws CannotTell
 */
export async function findBaseline({
  testsetId,
  ownRunId,
  systemId,
  ...search
}: Search & Surroundings): Promise<NamedRun> {
  const { client, wanted, project } = search;
  const [, kind, name] = newestForm.exec(wanted) ?? [];
  if (kind === undefined && wanted !== 'production' && wanted !== 'baseline')
    return findRun({ ...search, role: 'baseline' });
  if (testsetId === null)
    throw new CannotTell(
      `The candidate has no testset, so that "${printable(wanted)}" tells no baseline: give the id of a run.`,
    );
  const testset = await testsetOf({ client, testsetId, project });
  const where = ` on the testset "${printable(testset.name)}"`;
  const newest = (query: RunsQuery, named?: string) =>
    newestRun({
      client,
      projectId: testset.projectId,
      query: { ...query, testsetId },
      name: named,
      ownRunId,
    });
  if (kind !== undefined) {
    const found = await newest(queryOf(kind, name!), kind === 'latest' ? name : undefined);
    if (found) return found;
    throw noneLike({ kind, name: name!, where });
  }
  if (wanted === 'baseline') {
    if (testset.baselineRunId !== null)
      return findRun({ ...search, wanted: testset.baselineRunId, role: 'baseline' });
    throw new CannotTell(
      `The testset "${printable(testset.name)}" has no baseline: make a run its baseline in the console, or give the id of a run.`,
    );
  }
  const system = await productionSystem(client, testset.projectId, systemId);
  const versionId = system.productionVersion.id;
  const found = await newest({ systemVersionId: versionId, ...completed });
  if (found) return found;
  throw new CannotTell(
    `No other run of the production version of "${printable(system.name)}" is completed${where}: run it there first, or give the id of a run.`,
  );
}

const completed = { status: 'completed' } as const;

const queryOf = (kind: string, name: string): RunsQuery => ({
  ...(kind === 'branch' ? { label: `branch:${name}` } : { name }),
  ...completed,
});

/** The newest run that is like that; a name in the query is only a part of a name. */
async function newestRun({
  client,
  projectId,
  query,
  name,
  ownRunId,
}: {
  client: Client;
  projectId: string;
  query: RunsQuery;
  name?: string | undefined;
  ownRunId?: string | undefined;
}): Promise<NamedRun | undefined> {
  const isNamed = query.name !== undefined;
  for await (const run of client.list('/projects/:projectId/runs', {
    params: { projectId },
    query,
  }))
    if (run.id !== ownRunId && run.numRecords > 0 && (!isNamed || run.name === name)) return run;
  return undefined;
}

function noneLike({ kind, name, where }: { kind: string; name: string; where: string }) {
  const shown = printable(name);
  return new CannotTell(
    kind === 'branch'
      ? `No other run with the label branch:${shown} is completed${where}: evaluate that branch first, or give the id of a run.`
      : `No other run that is called "${shown}" is completed${where}: give branch:${shown} for a branch of git, or the id of a run.`,
  );
}

type System = Pick<ItemOf<'/projects/:projectId/systems'>, 'id' | 'name' | 'productionVersion'>;

async function productionSystem(
  client: Client,
  projectId: string,
  systemId: string | null,
): Promise<System> {
  if (systemId !== null)
    return client.request('GET', '/systems/:systemId', { params: { systemId } });
  const systems: System[] = [];
  for await (const system of client.list('/projects/:projectId/systems', { params: { projectId } }))
    systems.push(system);
  const [only, ...others] = systems;
  if (only && others.length === 0) return only;
  throw new CannotTell(
    only
      ? `The candidate is of no system, and the project has ${systems.length}: give the id of a run as the baseline.`
      : 'The project has no system, so that there is no production version: give the id of a run as the baseline.',
  );
}
