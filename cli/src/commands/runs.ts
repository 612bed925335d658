import type { Client } from '@assay/client/client';
import { whole } from '@assay/client/figures';
import { findTestset, type Run } from '@assay/client/find';
import type { QueryOf } from '@assay/client/operations';
import { type Column, table } from '@assay/client/table';
import { erroredRecords, type RunErrors } from '@assay/comparison/errors';
import type { RunStatus } from '@assay/contracts/run-records';
import { type Command, Option } from 'commander';
import { UsageFailure } from '../failure.ts';
import { findProject, readSummary } from '../lookup.ts';
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
  { title: 'ERRORS', align: 'right' },
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
      if (runs.length > 0) {
        const errors = await errorsOf(client, runs);
        const rows = runs.map((run) => rowOf(run, errors.get(run.id)));
        await terminal.print(table({ columns, rows, widthMax: terminal.width }));
      } else terminal.say(`No run of "${name}" is like that.`);
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

/** The runs of one request for their results. */
const summarizedMax = 100;

/** The records of each run on which its system failed. */
async function errorsOf(client: Client, runs: Run[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const expired = new Set(runs.flatMap(({ id, expiredAt }) => (expiredAt ? [id] : [])));
  for (let from = 0; from < runs.length; from += summarizedMax) {
    const runIds = runs.slice(from, from + summarizedMax).map(({ id }) => id);
    const { items } = await client.request('POST', '/run-summaries', { body: { runIds } });
    for (const { runId, errors } of items)
      counts.set(runId, expired.has(runId) ? ofKept(errors) : await countOf(client, runId, errors));
  }
  return counts;
}

/** About how many: no record of an expired run is left to be counted. */
const ofKept = ({ mean, records }: Pick<RunErrors, 'mean' | 'records'>): number =>
  Math.round((mean ?? 0) * records);

/** Where testcases have several records, the mean of the testcases does not tell the records. */
async function countOf(
  client: Client,
  runId: string,
  { mean, count, records }: Pick<RunErrors, 'mean' | 'count' | 'records'>,
): Promise<number> {
  if (!mean) return 0;
  if (count === records) return Math.round(mean * records);
  return erroredRecords((await readSummary(client, runId)).errors);
}

const rowOf = (
  { id, name, status, expiredAt, numRecords, numExpectedRecords }: Run,
  errors: number | undefined,
): string[] => [
  id,
  name ?? '–',
  expiredAt === undefined ? statuses[status] : 'expired',
  numExpectedRecords === null
    ? whole(numRecords)
    : `${whole(numRecords)}/${whole(numExpectedRecords)}`,
  errors === undefined ? '–' : whole(errors),
];
