import { type Client, listAll, orUndefined } from '@assay/client/client';
import { findRun } from '@assay/client/find';
import { isId } from '@assay/client/named';
import type { Command } from 'commander';
import { openPage, pageOf, projectOfRun } from '../console-page.ts';
import { CommandFailure } from '../failure.ts';
import { findProject } from '../lookup.ts';
import { type Context, type ProjectOptions, projectOption, withServer } from '../options.ts';

/** `assay open`: the page of the console for an id, or for the name of a run. */
export function addOpen(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('open')
      .description('Open the page of the console for an id, or for the name of a run.')
      .argument(
        '<id>',
        'of a project, run, record, testset, metric or system; or the name of a run',
      )
      .addOption(projectOption()),
    '{ url } as JSON, and open nothing',
  ).action(async (wanted: string, { url, json, project }: ProjectOptions) => {
    const { client, server } = await connection.connect(url);
    const path = isId(wanted)
      ? await pathOfId(client, wanted, project)
      : await pathOfRun(client, wanted, project);
    await openPage(terminal, pageOf(server.url, path), json);
  });
}

async function pathOfRun(client: Client, name: string, project: string | undefined) {
  const run = await findRun({ client, wanted: name, project });
  return `/projects/${await projectOfRun(client, run, project)}/runs/${run.id}`;
}

async function pathOfId(client: Client, id: string, wanted: string | undefined): Promise<string> {
  const [ofProject, run, record, testset, metric, system] = await Promise.all([
    orUndefined(client.request('GET', '/projects/:projectId', { params: { projectId: id } })),
    orUndefined(client.request('GET', '/runs/:runId', { params: { runId: id } })),
    orUndefined(
      client.request('GET', '/records/:recordId', {
        params: { recordId: id },
        query: { preview: 0 },
      }),
    ),
    orUndefined(client.request('GET', '/testsets/:testsetId', { params: { testsetId: id } })),
    orUndefined(client.request('GET', '/metrics/:metricId', { params: { metricId: id } })),
    orUndefined(client.request('GET', '/systems/:systemId', { params: { systemId: id } })),
  ]);
  if (ofProject) return `/projects/${id}`;
  if (run) return `/projects/${await projectOfRun(client, run, wanted)}/runs/${id}`;
  if (record) {
    const projectId = await projectOfRun(client, { id: record.runId }, wanted);
    return `/projects/${projectId}/records/${id}`;
  }
  const kind = testset ? 'testsets' : metric ? 'metrics' : system ? 'systems' : undefined;
  if (!kind)
    throw new CommandFailure(
      `Nothing has the id ${id} in this organization: check it, and by \`assay whoami\` the organization.`,
    );
  const projects =
    wanted === undefined ? await listAll(client, '/projects') : [await findProject(client, wanted)];
  for (const project of projects)
    for await (const item of client.list(`/projects/:projectId/${kind}`, {
      params: { projectId: project.id },
    }))
      if (item.id === id) return `/projects/${project.id}/${kind}/${id}`;
  throw new CommandFailure(`The project of ${id} was not found: name it with --project.`);
}
