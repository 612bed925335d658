import { type Client, listAll } from '@assay/client/client';
import { isId, type NamedItem, type Project, type Testset } from '@assay/client/named';
import { createOnce } from './create-once.ts';
import type { ServerOptions } from './evaluation.ts';
import { choose, findNamed } from './lookup.ts';

/** The project and the testset of an evaluation; undefined where they are still to be made. */
export interface Targets {
  project: Project | undefined;
  testset: Testset | undefined;
}

/** @throws AssayError for a name that nothing has, unless the options say that it is to be made. */
export async function findTargets(
  client: Client,
  projectName: string,
  { testset: wanted, testcases, createProject }: ServerOptions,
): Promise<Targets> {
  const project = find({
    items: await listAll(client, '/projects'),
    kind: 'project',
    wanted: projectName,
    mayBeMade: createProject ?? false,
  });
  const items = project
    ? await listAll(client, '/projects/:projectId/testsets', { params: { projectId: project.id } })
    : [];
  const mayBeMade = testcases !== undefined;
  return { project, testset: find({ items, kind: 'testset', wanted, mayBeMade }) };
}

/** A name may be that of something new; an id never is. */
const find = <Item extends NamedItem>({
  mayBeMade,
  ...search
}: Parameters<typeof choose<Item>>[0] & { mayBeMade: boolean }): Item | undefined =>
  mayBeMade && !isId(search.wanted) ? findNamed(search) : choose(search);

export function createProject(client: Client, name: string): Promise<Project> {
  const body = { name, description: '' };
  return createOnce({
    path: '/projects',
    name,
    create: (idempotencyKey) => client.request('POST', '/projects', { body, idempotencyKey }),
    find: (projectId) => client.request('GET', '/projects/:projectId', { params: { projectId } }),
    list: () => client.list('/projects'),
  });
}
