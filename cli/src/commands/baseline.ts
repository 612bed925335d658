import { findRun } from '@assay/client/find';
import { partOfRun } from '@assay/client/part-of-run';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type Context, type ProjectOptions, projectOption, withServer } from '../options.ts';

/** `assay baseline`: makes a run the baseline of its testset. */
export function addBaseline(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('baseline')
      .description('Make a run the baseline of its testset, with which candidates are compared.')
      .argument('<run>', 'its id or name, or branch:NAME or latest:NAME')
      .addOption(projectOption()),
    '{ testset: { id, name }, run: { id, name }, previousRunId } as JSON',
  ).action(async (wanted: string, { url, json, project }: ProjectOptions) => {
    const { client } = await connection.connect(url);
    const run = await findRun({ client, wanted, project });
    const { testsetId, name: runName = null } = run;
    if (testsetId === null)
      throw new CommandFailure(
        `The run ${run.id} has no testset, so it can be the baseline of none.`,
      );
    const part = partOfRun(run);
    if (part !== undefined)
      throw new CommandFailure(`A baseline needs all of the testset, and the run is ${part}.`);
    const params = { testsetId };
    const before = await client.request('GET', '/testsets/:testsetId', { params });
    const { id, name } = await client.request('PUT', '/testsets/:testsetId/baseline', {
      params,
      body: { runId: run.id },
    });
    const previousRunId = before.baselineRunId;
    if (json)
      return terminal.printJson({
        testset: { id, name },
        run: { id: run.id, name: runName },
        previousRunId,
      });
    const nameOf = async (runId: string): Promise<string> => {
      const { name: previousName } = await client
        .request('GET', '/runs/:runId', { params: { runId } })
        .catch(() => ({ name: undefined }));
      return previousName === undefined ? runId : `"${previousName}"`;
    };
    const previous =
      previousRunId === null
        ? 'there was none'
        : previousRunId === run.id
          ? 'as it was before'
          : `before it was ${await nameOf(previousRunId)}`;
    terminal.say(`${titleOf(run)} is the baseline of "${name}" now; ${previous}.`);
    if (run.status !== 'completed')
      terminal.say('It is not completed: candidates are compared with what it has.');
  });
}

const titleOf = ({ id, name }: { id: string; name?: string | undefined }): string =>
  name === undefined ? `The run ${id}` : `The run "${name}"`;
