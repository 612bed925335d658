import { whole } from '@assay/client/figures';
import { findTestset, type Run } from '@assay/client/find';
import type { QueryOf } from '@assay/client/operations';
import { type Column, table } from '@assay/client/table';
import type { RunStatus } from '@assay/contracts/run-records';
import { type Command, Option } from 'commander';
import { UsageFailure } from '../failure.ts';
import { findProject } from '../lookup.ts';
import {
  type Context,
  collect,
  type ProjectOptions,
  projectOption,
  wholeNumber,
  withServer,
} from '../options.ts';

/** The status in words that fit a table. */
const statuses: Record<RunStatus, string> = {
  pending: 'pending',
  awaiting_execution: 'no records yet',
  running_execution: 'taking records',
  awaiting_scoring: 'to be scored',
  running_scoring: 'scoring',
  awaiting_human_scoring: 'awaiting people',
  completed: 'completed',
};

const columns: Column[] = [
  { title: 'RUN', align: 'left' },
  { title: 'NAME', align: 'left', canShrink: true },
  { title: 'STATUS', align: 'left' },
  { title: 'RECORDS', align: 'right' },
];

interface RunsOptions extends ProjectOptions {
  name?: string;
  label?: string[];
  status?: RunStatus;
  testset?: string;
  createdBy?: string;
  limit: number;
}

/** `assay runs`: the runs of a project, newest first. */
export function addRuns(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('runs')
      .description('List the runs of a project, newest first.')
      .addOption(projectOption())
      .option('--name <text>', 'whose name has this text, in any case')
      .option('--label <key:value>', 'that have this label; repeatable: all of them', collect)
      .addOption(new Option('--status <status>', 'in this status').choices(Object.keys(statuses)))
      .option('--testset <name>', 'on this testset, by name or id')
      .option('--created-by <member>', "by this member's id, or me")
      .option('--limit <count>', 'so many at most', wholeNumber(1, 10_000), 20),
    '{ project, data: [run, as the API has it], hasMore } as JSON',
  )
    .addHelpText('after', '\n  assay runs --project Support --label branch:main --status completed')
    .action(async ({ url, json, project: wanted, limit, ...filters }: RunsOptions) => {
      const query = queryOf(filters);
      const { client } = await connection.connect(url);
      const project = await findProject(client, wanted);
      if (filters.testset !== undefined) {
        const { id } = await findTestset(client, filters.testset, project);
        query.testsetId = id;
      }
      const runs: Run[] = [];
      let hasMore = false;
      for await (const run of client.list('/projects/:projectId/runs', {
        params: { projectId: project.id },
        query,
      })) {
        hasMore = runs.length === limit;
        if (hasMore) break;
        runs.push(run);
      }
      const { id, name } = project;
      if (json) return terminal.printJson({ project: { id, name }, data: runs, hasMore });
      if (runs.length > 0)
        await terminal.print(table({ columns, rows: runs.map(rowOf), widthMax: terminal.width }));
      else terminal.say(`No run of "${name}" is like that.`);
      if (hasMore) terminal.say(`There are more: --limit ${limit * 5} shows more of them.`);
    });
}

type RunsQuery = QueryOf<'GET', '/projects/:projectId/runs'>;

function queryOf({ name, label = [], status, createdBy }: Omit<RunsOptions, 'limit'>): RunsQuery {
  const bad = label.find((pair) => !/^[^:]+:./.test(pair));
  if (bad !== undefined)
    throw new UsageFailure(`Error: the label "${bad}" has to be a key and a value: branch:main.`);
  return {
    label,
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(createdBy === undefined ? {} : { createdBy }),
  };
}

const rowOf = ({ id, name, status, numRecords, numExpectedRecords }: Run): string[] => [
  id,
  name ?? '–',
  statuses[status],
  numExpectedRecords === null
    ? whole(numRecords)
    : `${whole(numRecords)}/${whole(numExpectedRecords)}`,
];
