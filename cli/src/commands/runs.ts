import { type Client, listAll } from '@assay/client/client';
import { fixed, percent, whole } from '@assay/client/figures';
import { findTestset, type Run } from '@assay/client/find';
import { findNamed, unknownName } from '@assay/client/named';
import type { QueryOf } from '@assay/client/operations';
import { isSystemMetricId } from '@assay/client/system-metrics';
import { type Column, table } from '@assay/client/table';
import { endOf, instantOf } from '@assay/client/written-instant';
import { erroredRecords, type RunErrors } from '@assay/comparison/errors';
import type { MetricResult } from '@assay/contracts/results';
import type { RunStatus } from '@assay/contracts/run-records';
import { type Command, InvalidArgumentError, Option } from 'commander';
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
  from?: string;
  to?: string;
  metric?: string;
  min?: string;
  max?: string;
  sort?: 'createdAt' | 'name' | 'mean';
  order?: 'asc' | 'desc';
  limit: number;
}

/** `assay runs`: the runs of a project, newest first or in another order. */
export function addRuns(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('runs')
      .description('List the runs of a project, newest first or in another order.')
      .addOption(projectOption())
      .option('--name <text>', 'whose name has this text, in any case')
      .option('--label <key:value>', 'that have this label; repeatable: all of them', collect)
      .addOption(new Option('--status <status>', 'in this status').choices(Object.keys(statuses)))
      .option('--testset <name>', 'on this testset, by name or id')
      .option('--created-by <member>', "by this member's id, or me")
      .option('--from <time>', 'made then or later: 2026-11-20, or 7d for seven days ago', startOf)
      .option('--to <time>', 'made before; of a date, on it or before', untilEnd)
      .addOption(
        new Option(
          '--sort <field>',
          'by when they were made, by name, or by the mean of --metric, the highest first',
        ).choices(['createdAt', 'name', 'mean']),
      )
      .option('--metric <name>', 'with its mean, by name or id; only runs that have one')
      .option('--min <number>', 'with --metric: a mean of at least this')
      .option('--max <number>', 'with --metric: a mean of at most this')
      .addOption(
        new Option('--order <direction>', 'lowest or highest first').choices(['asc', 'desc']),
      )
      .option('--limit <count>', 'so many at most', wholeNumber(1, 10_000), 20),
    '{ project, data: [run, as the API has it], hasMore } as JSON',
  )
    .addHelpText('after', '\n  assay runs --project Support --label branch:main --from 7d')
    .action(async ({ url, json, project: wanted, limit, ...filters }: RunsOptions) => {
      const query = queryOf(filters);
      const { client } = await connection.connect(url);
      const project = await findProject(client, wanted);
      if (filters.testset !== undefined) {
        const { id } = await findTestset(client, filters.testset, project);
        query.testsetId = id;
      }
      const metricId =
        filters.metric === undefined
          ? undefined
          : await findMetricId(client, project.id, filters.metric);
      if (metricId !== undefined) query.metricId = metricId;
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
        const means = await meansOf(client, runs, metricId);
        const rows = runs.map((run) => [
          ...rowOf(run, errors.get(run.id)),
          ...(means ? [means.get(run.id) ?? '–'] : []),
        ]);
        const shown = means ? [...columns, meanColumn] : columns;
        await terminal.print(table({ columns: shown, rows, widthMax: terminal.width }));
      } else terminal.say(`No run of "${name}" is like that.`);
      if (hasMore) terminal.say(`There are more: --limit ${limit * 5} shows more of them.`);
    });
}

type RunsQuery = QueryOf<'GET', '/projects/:projectId/runs'>;

function queryOf({
  label = [],
  testset: _testset,
  metric,
  ...filters
}: Omit<RunsOptions, 'limit' | keyof ProjectOptions>): RunsQuery {
  const bad = label.find((pair) => !/^[^:]+:./.test(pair));
  if (bad !== undefined)
    throw new UsageFailure(`Error: the label "${bad}" has to be a key and a value: branch:main.`);
  const { sort, min, max } = filters;
  if (metric === undefined && (sort === 'mean' || min !== undefined || max !== undefined))
    throw new UsageFailure('Error: --sort mean, --min and --max need --metric.');
  return { label, ...filters };
}

/** The id of a metric of the project, or of one of the records themselves. */
async function findMetricId(client: Client, projectId: string, wanted: string): Promise<string> {
  if (isSystemMetricId(wanted)) return wanted;
  const metrics = await listAll(client, '/projects/:projectId/metrics', { params: { projectId } });
  const found = findNamed(metrics, { kind: 'metric', wanted });
  if (found) return found.id;
  throw unknownName(
    { kind: 'metric', wanted },
    metrics.map(({ name }) => name),
  );
}

/** A share as a percentage, of a mean two decimals. */
const meanText = ({ mean, outputType }: Pick<MetricResult, 'mean' | 'outputType'>): string =>
  outputType === 'boolean' ? percent(mean ?? 0) : fixed(mean ?? 0, 2);

const meanColumn: Column = { title: 'MEAN', align: 'right' };

/** The mean of a metric in each run, as it is now; undefined where none is wanted. */
async function meansOf(
  client: Client,
  runs: Run[],
  metricId: string | undefined,
): Promise<Map<string, string> | undefined> {
  if (metricId === undefined) return undefined;
  const means = new Map<string, string>();
  for (let from = 0; from < runs.length; from += summarizedMax) {
    const runIds = runs.slice(from, from + summarizedMax).map(({ id }) => id);
    const body = { runIds, metricIds: [metricId] };
    const { items } = await client.request('POST', '/run-summaries', { body });
    for (const { runId, metrics } of items) {
      const result = metrics.findLast(({ mean }) => mean !== null);
      if (result) means.set(runId, meanText(result));
    }
  }
  return means;
}

const startOf = (written: string) => timeOf(instantOf(written));
const untilEnd = (written: string) => timeOf(endOf(written));

function timeOf(instant: string | undefined): string {
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError('Write 2026-11-20, 2026-11-20T09:30, or 7d for seven days ago.');
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
