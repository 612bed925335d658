import { findRun, type Run } from '@assay/client/find';
import type { ItemOf } from '@assay/client/operations';
import { pathOf } from '@assay/client/path';
import { type Column, cut, table } from '@assay/client/table';
import { writeJson } from '@assay/json/write';
import { type Command, Option } from 'commander';
import { openPage, pageOf, projectOfRun } from '../console-page.ts';
import { type RunMetric, readSummary } from '../lookup.ts';
import {
  type Context,
  collect,
  type ProjectOptions,
  projectOption,
  wholeNumber,
  withServer,
} from '../options.ts';
import { csvCell } from '../text.ts';
import { queryOf, readCondition } from '../where.ts';

interface RecordsOptions extends ProjectOptions {
  where?: string;
  tag: string[];
  limit?: number;
  format: 'table' | 'ndjson' | 'csv';
  open?: true;
}

type Fields = Record<string, unknown>;

type RunRecord = ItemOf<'/runs/:runId/records'>;

const tableRows = 20;

/** `assay records`: the records of a run that meet a condition. */
export function addRecords(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('records')
      .description('Show records of a run with their scores, oldest first.')
      .argument('<run>', 'its id or name')
      .addOption(projectOption())
      .option('--where <condition>', "such as 'Helpful:fail', 'Same=false' or 'Length>=0.5'")
      .option('--tag <tag>', 'that have this tag; repeatable: all of them', collect, [])
      .option(
        '--limit <count>',
        `so many at most (default: ${tableRows} in a table, else all)`,
        wholeNumber(1, 10_000_000),
      )
      .addOption(
        new Option('--format <format>', 'of the records')
          .choices(['table', 'ndjson', 'csv'])
          .default('table'),
      )
      .option('--open', 'show them in the console'),
    'a line of JSON for each record, as the API has it, as --format ndjson does',
  )
    .addHelpText(
      'after',
      "\n  assay records 'Prompt 14' --where 'Helpful:fail' --format csv > failed.csv",
    )
    .action(async (wanted: string, options: RecordsOptions) => {
      const condition = options.where === undefined ? undefined : readCondition(options.where);
      const { client, server } = await connection.connect(options.url);
      const run = await findRun({ client, wanted, project: options.project });
      const { metrics } = await readSummary(client, run.id);
      const query = { tags: options.tag, ...(condition ? queryOf(condition, metrics) : {}) };
      if (options.open) {
        const projectId = await projectOfRun(client, run, options.project);
        const path = pathOf(`/projects/${projectId}/runs/${run.id}`, { query });
        return openPage(terminal, pageOf(server.url, path), options.json);
      }
      const format = options.json ? 'ndjson' : options.format;
      const limit = options.limit ?? (format === 'table' ? tableRows : Number.POSITIVE_INFINITY);
      const write = writers[format](terminal, metrics);
      let count = 0;
      let hasMore = false;
      for await (const record of client.list('/runs/:runId/records', {
        params: { runId: run.id },
        query,
      })) {
        hasMore = count === limit;
        if (hasMore) break;
        await write.record(record);
        count += 1;
      }
      await write.end();
      if (count === 0) terminal.say(`No record of ${nameOf(run)} is like that.`);
      if (hasMore && options.limit === undefined)
        terminal.say('There are more: --limit 100 shows more, --format ndjson all of them.');
    });
}

const nameOf = ({ id, name }: Run): string => (name === undefined ? id : `"${name}"`);

interface Writer {
  record(record: RunRecord): Promise<void>;
  end(): Promise<void>;
}

type CreateWriter = (terminal: Context['terminal'], metrics: RunMetric[]) => Writer;

const writers: Record<RecordsOptions['format'], CreateWriter> = {
  table: tableWriter,
  ndjson: (terminal) => ({
    record: (record) => terminal.write(`${writeJson(record)}\n`),
    end: async () => undefined,
  }),
  csv: csvWriter,
};

const columns: Column[] = [
  { title: 'RECORD', align: 'left' },
  { title: 'INPUTS', align: 'left', canShrink: true },
  { title: 'OUTPUTS', align: 'left', canShrink: true },
  { title: 'SCORES', align: 'left', canShrink: true },
];

const cellCharactersMax = 200;

function tableWriter(terminal: Context['terminal'], metrics: RunMetric[]): Writer {
  const rows: string[][] = [];
  return {
    async record(record) {
      const { id, inputs, outputs } = record;
      const scores = metrics.flatMap((metric) => {
        const value = scoreOf(record, metric);
        return value === '' ? [] : [`${metric.name} ${value}`];
      });
      const cells = [oneLine(inputs), oneLine(outputs), scores.join(', ')];
      rows.push([id, ...cells.map((cell) => cut(cell, cellCharactersMax))]);
    },
    async end() {
      if (rows.length > 0) await terminal.print(table({ columns, rows, widthMax: terminal.width }));
    },
  };
}

/** The only value of an object as text, else its JSON. */
function oneLine(fields: Fields): string {
  const [value, ...others] = Object.values(fields);
  const shown = others.length === 0 && typeof value === 'string' ? value : writeJson(fields);
  return shown.slice(0, 10 * cellCharactersMax).replaceAll(/\s+/g, ' ');
}

function scoreOf({ scores }: RunRecord, { metricVersionId }: RunMetric): string {
  const found = scores.find(({ metricConfigId }) => metricConfigId === metricVersionId);
  if (!found) return '';
  const { value, binaryScore, intScore, floatScore } = found.score;
  const shown = value ?? binaryScore ?? intScore ?? floatScore;
  if (shown === undefined || shown === null) return value === null ? 'n/a' : '';
  return shown === true ? 'yes' : shown === false ? 'no' : String(shown);
}

function csvWriter(terminal: Context['terminal'], metrics: RunMetric[]): Writer {
  const rowOf = (cells: string[]) => `${cells.map(csvCell).join(',')}\r\n`;
  const titles = ['id', 'testcaseId', 'inputs', 'expected', 'outputs'];
  const header = terminal.write(rowOf([...titles, ...metrics.map(({ name }) => name)]));
  return {
    async record(record) {
      const { id, testcaseId = '', inputs, expected, outputs } = record;
      await header;
      await terminal.write(
        rowOf([
          id,
          testcaseId,
          ...[inputs, expected, outputs].map((payload) => writeJson(payload)),
          ...metrics.map((metric) => scoreOf(record, metric)),
        ]),
      );
    },
    end: () => header,
  };
}
