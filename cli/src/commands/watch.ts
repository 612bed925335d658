import type { Client } from '@assay/client/client';
import { percent, whole } from '@assay/client/figures';
import { findRun } from '@assay/client/find';
import { type Column, table } from '@assay/client/table';
import { timeOfDay, waitingSentences } from '@assay/client/waiting-for';
import { failuresInWords, type RunErrors } from '@assay/comparison/errors';
import { figure } from '@assay/comparison/figures';
import type { Run } from '@assay/contracts/run-records';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { followRun } from '../follow.ts';
import { type RunMetric, readSummary } from '../lookup.ts';
import {
  type Context,
  type ProjectOptions,
  projectOption,
  wholeNumber,
  withServer,
} from '../options.ts';

interface WatchOptions extends ProjectOptions {
  timeout?: number;
}

type Account = Run['scoring'] & Pick<Run, 'numRecords' | 'numExpectedRecords'>;

const columns: Column[] = [
  { title: 'METRIC', align: 'left', canShrink: true },
  { title: 'SCORES', align: 'right' },
  { title: 'FAILED', align: 'right' },
  { title: 'PASS RATE', align: 'right' },
  { title: 'MEAN', align: 'right' },
];

/** `assay watch`: follows a run until it is completed. */
export function addWatch(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('watch')
      .description('Follow a run until it is completed, then show its results.')
      .argument('<run>', 'its id or name')
      .addOption(projectOption())
      .option('--timeout <seconds>', 'give up after so long: exit 2', wholeNumber(1, 604_800)),
    'a line of JSON for each event, { event, id, data }, and at the end { event: "summary", data }',
  ).action(async (wanted: string, { url, json, project, timeout }: WatchOptions) => {
    const { client, server } = await connection.connect(url);
    const { id, expiredAt } = await findRun({ client, wanted, project });
    const signal =
      timeout === undefined ? new AbortController().signal : AbortSignal.timeout(timeout * 1000);
    try {
      for await (const { data, ...event } of followRun({ client, server, runId: id, signal })) {
        const account: Account = JSON.parse(data);
        if (json) await terminal.write(`${JSON.stringify({ ...event, data: account })}\n`);
        else terminal.progress([progressOf(account), ...(await waitingIn(client, id))].join('. '));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CommandFailure(
        `The run ${id} is not completed after ${timeout} s. Watch it again, or see by \`assay open ${id}\` what is missing.`,
      );
    }
    if (expiredAt !== undefined) {
      const kept = await readKept(client, id);
      if (json) return terminal.write(`${JSON.stringify({ event: 'summary', data: kept })}\n`);
      terminal.say(expiredInWords(expiredAt));
      return terminal.print(tableOf(kept, terminal.width));
    }
    const summary = await readSummary(client, id);
    if (json) return terminal.write(`${JSON.stringify({ event: 'summary', data: summary })}\n`);
    const failed = summary.metrics.reduce((sum, metric) => sum + metric.failed, 0);
    const failures = [
      failuresInWords(summary.errors) ?? [],
      failed > 0 ? `${whole(failed)} ${failed === 1 ? 'score' : 'scores'} failed` : [],
    ].flat();
    terminal.say(
      failures.length > 0 ? `Completed; ${failures.join(', ')}: assay open ${id}` : 'Completed.',
    );
    await terminal.print(tableOf(summary, terminal.width));
  });
}

/** The results of an expired run that were kept. */
async function readKept(client: Client, runId: string) {
  const body = { runIds: [runId] };
  return (await client.request('POST', '/run-summaries', { body })).items[0]!;
}

const expiredInWords = (expiredAt: string): string =>
  `The run expired on ${expiredAt.slice(0, 10)}: its records are gone. Its results were:`;

/** The judges whose providers are away, while scores wait for them. */
const waitingIn = async (client: Client, id: string): Promise<string[]> =>
  waitingSentences(
    await client.request('GET', '/runs/:runId', { params: { runId: id } }),
    timeOfDay,
  );

function progressOf(account: Account): string {
  const { numRecords, numExpectedRecords, expected, scored, failed } = account;
  const all = numExpectedRecords === null ? '' : ` of ${whole(numExpectedRecords)}`;
  return [
    `${whole(numRecords)}${all} records`,
    `${whole(scored)} of ${whole(expected)} scores`,
    ...(failed > 0 ? [`${whole(failed)} failed`] : []),
  ].join(', ');
}

/** The results of a run, a row for each metric. */
function tableOf(
  { metrics, errors }: { metrics: ShownMetric[]; errors: ShownErrors },
  widthMax: number,
): string[] {
  return table({ columns, rows: [...metrics.map(rowOf), rowOfErrors(errors)], widthMax });
}

type ShownErrors = Pick<RunErrors, 'name' | 'records' | 'mean'>;
type ShownMetric = Pick<
  RunMetric,
  'name' | 'outputType' | 'records' | 'failed' | 'passRate' | 'mean'
>;

const rowOf = ({ name, outputType, records, failed, passRate, mean }: ShownMetric) => [
  name,
  whole(records),
  whole(failed),
  passRate === null ? '–' : percent(passRate),
  outputType === 'boolean' ? '' : figure(outputType, mean),
];

/** How often the system failed: no score, and none that passes. */
const rowOfErrors = ({ name, records, mean }: ShownErrors) => [
  name,
  whole(records),
  '',
  '',
  figure('boolean', mean),
];
