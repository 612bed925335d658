import type { Client } from '@assay/client/client';
import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { printable } from '@assay/client/printable';
import { CannotTell } from './failure.ts';

/** A run, with the members by which people know it. */
export type NamedRun = ReplyOf<'GET', '/runs/:runId'>;

type Project = ItemOf<'/projects'>;

/**
 * The project of this name or id; all where none is named.
 * @throws CannotTell where it is not one.
 */
export async function findProjects(client: Client, wanted: string | undefined): Promise<Project[]> {
  const projects: Project[] = [];
  for await (const project of client.list('/projects')) projects.push(project);
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
export type FoundTestset = ItemOf<'/projects/:projectId/testsets'> & { projectId: string };

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
    for await (const testset of client.list('/projects/:projectId/testsets', {
      params: { projectId },
    }))
      if (testset.id === testsetId) return { ...testset, projectId };
  throw new CannotTell(
    `The testset of the candidate, ${testsetId}, is not there${project === undefined ? '' : ` in the project "${printable(project)}"`}: it was deleted, or is of another project.`,
  );
}
