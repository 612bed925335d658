import type { Client } from '@assay/client/client';
import { printable } from '@assay/client/printable';
import { CannotTell } from './failure.ts';

/** A run, with the members by which people know it. */
export interface NamedRun {
  id: string;
  name?: string;
  createdAt: string;
  labels?: Record<string, string>;
  testsetId: string | null;
  systemId: string | null;
  systemVersionId: string | null;
  numRecords: number;
}

interface Project {
  id: string;
  name: string;
}

/**
 * The project of this name or id; all where none is named.
 * @throws CannotTell where it is not one.
 */
export async function findProjects(client: Client, wanted: string | undefined): Promise<Project[]> {
  const projects: Project[] = [];
  for await (const project of client.list<Project>('/projects')) projects.push(project);
  if (wanted === undefined) return projects;
  const found = projects.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1) return found;
  throw new CannotTell(
    found.length === 0
      ? `There is no project "${printable(wanted)}": name one of the key's organization with --project.`
      : `${found.length} projects are called "${printable(wanted)}": give an id, ${found.map(({ id }) => id).join(' or ')}.`,
  );
}

/** A testset with its project, which only the lists of projects tell. */
export interface FoundTestset {
  id: string;
  name: string;
  baselineRunId: string | null;
  projectId: string;
}

/** @throws CannotTell where the testset was deleted. */
export async function testsetOf({
  client,
  testsetId,
  project,
}: {
  client: Client;
  testsetId: string;
  project: string | undefined;
}): Promise<FoundTestset> {
  for (const { id: projectId } of await findProjects(client, project))
    for await (const testset of client.list<Omit<FoundTestset, 'projectId'>>(
      `/projects/${projectId}/testsets`,
    ))
      if (testset.id === testsetId) return { ...testset, projectId };
  throw new CannotTell(
    `The testset of the candidate, ${testsetId}, is not there${project === undefined ? '' : ` in the project "${printable(project)}"`}: it was deleted, or is of another project.`,
  );
}
