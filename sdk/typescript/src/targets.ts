import { type Client, listAll } from '@assay/client/client';
import { findNamed, isId, LookupFailure, type Project, type Testset } from '@assay/client/named';
import type { ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';
import { choose } from './lookup.ts';

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
function find<Item extends { id: string; name: string }>({
  items,
  kind,
  wanted,
  mayBeMade,
}: {
  items: readonly Item[];
  kind: string;
  wanted: string;
  mayBeMade: boolean;
}): Item | undefined {
  if (!mayBeMade || isId(wanted)) return choose({ items, kind, wanted });
  try {
    return findNamed(items, { kind, wanted });
  } catch (error) {
    throw error instanceof LookupFailure ? new AssayError(error.message) : error;
  }
}

export const createProject = (client: Client, name: string): Promise<Project> =>
  client.request('POST', '/projects', { body: { name, description: '' } });
