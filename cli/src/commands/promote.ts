import { findRun } from '@assay/client/find';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type Context, type ProjectOptions, projectOption, withServer } from '../options.ts';

/** `assay promote`: makes the version that a run is of the production version of its system. */
export function addPromote(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('promote')
      .description('Make the version that a run is of the production version of its system.')
      .argument('<run>', 'its id or name, or branch:NAME or latest:NAME')
      .addOption(projectOption()),
    '{ system: { id, name }, version: { id, name }, previous: { id, name } } as JSON',
  ).action(async (wanted: string, { url, json, project }: ProjectOptions) => {
    const { client } = await connection.connect(url);
    const { id: runId, systemId, systemVersionId } = await findRun({ client, wanted, project });
    if (systemId === null || systemVersionId === null)
      throw new CommandFailure(
        `The run ${runId} names no version of a system: make runs with a version, as evaluate does with \`config\`.`,
      );
    const params = { systemId };
    const before = await client.request('GET', '/systems/:systemId', { params });
    const system = await client.request('PATCH', '/systems/:systemId', {
      params,
      body: { productionVersionId: systemVersionId },
    });
    const version = named(system.productionVersion);
    const previous = named(before.productionVersion);
    if (json) return terminal.printJson({ system: named(system), version, previous });
    terminal.say(
      `"${version.name}" is the production version of "${system.name}" now; ${
        previous.id === version.id ? 'as it was before' : `before it was "${previous.name}"`
      }.`,
    );
  });
}

const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
