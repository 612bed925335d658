import { type Client, RequestFailure } from '@assay/client/client';
import {
  type Comparison,
  change,
  decidingFigures,
  figure,
  type MetricComparison,
} from '@assay/client/comparison';
import { whole } from '@assay/client/figures';
import { baselineForms, findBaseline, findRun, type Run } from '@assay/client/find';
import { type Column, table } from '@assay/client/table';
import { verdictSentence } from '@assay/client/verdict-sentence';
import { CannotTell } from '@assay/gate/failure';
import { markdownText } from '@assay/gate/formats/harmless';
import { selectMetrics } from '@assay/gate/selection';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure } from '../failure.ts';
import { readSummary } from '../lookup.ts';
import {
  type Context,
  collect,
  projectOption,
  type ServerOptions,
  withServer,
} from '../options.ts';
import { wrap } from '../text.ts';

interface CompareOptions extends ServerOptions {
  project?: string;
  metric: string[];
  level: number;
  groupBy?: string;
  format: 'table' | 'json' | 'markdown';
}

/** `assay compare`: whether the second run is better than the first, metric by metric. */
export function addCompare(program: Command, { terminal, connection }: Context): void {
  withServer(
    program
      .command('compare')
      .description('Say whether the second run is better than the first, metric by metric.')
      .argument('<baseline>', `the run to compare with: ${baselineForms}`)
      .argument(
        '<candidate>',
        'the run that may be better: an id, a name, branch:NAME or latest:NAME',
      )
      .addOption(projectOption())
      .option('--metric <name>', 'a metric by name or id; repeatable (default: all)', collect, [])
      .option('--level <level>', 'confidence level, 0.5 to 1, both exclusive', readLevel, 0.95)
      .option('--group-by <pointer>', 'JSON Pointer into inputs or metadata: pairs of one group')
      .addOption(
        new Option('--format <format>', 'of the comparison')
          .choices(['table', 'json', 'markdown'])
          .default('table'),
      ),
    'the comparison as the API has it, with baseline and candidate, as --format json does',
  ).action(async (first: string, second: string, options: CompareOptions) => {
    const { client } = await connection.connect(options.url);
    const { project } = options;
    const candidate = await findRun({ client, wanted: second, project });
    const { id: ownRunId, testsetId, systemId } = candidate;
    const surroundings = { testsetId, systemId, ownRunId };
    const baseline = await findBaseline({ client, wanted: first, project, ...surroundings });
    const comparison = await compare(client, { baseline, candidate }, options);
    const format = options.json ? 'json' : options.format;
    if (format === 'json')
      return terminal.printJson({
        baseline: { id: baseline.id, name: baseline.name },
        candidate: { id: candidate.id, name: candidate.name },
        ...comparison,
      });
    const titles = { baseline: titleOf(baseline), candidate: titleOf(candidate) };
    const candidateName = candidate.name ?? 'the candidate';
    const lines =
      format === 'markdown'
        ? markdownLines(comparison, titles, candidateName)
        : tableLines(comparison, titles, candidateName, terminal.width);
    await terminal.print(lines);
  });
}

interface Sides<Value> {
  baseline: Value;
  candidate: Value;
}

async function compare(
  client: Client,
  { baseline, candidate }: Sides<Run>,
  { metric, level, groupBy }: CompareOptions,
): Promise<Comparison> {
  if (baseline.id === candidate.id)
    throw new CommandFailure('Both are the same run: name two different ones.');
  const [before, after] = await Promise.all([
    readSummary(client, baseline.id),
    readSummary(client, candidate.id),
  ]);
  try {
    const { metricIds } = selectMetrics({
      wanted: metric,
      baseline: { role: 'baseline', ...before },
      candidate: { role: 'candidate', ...after },
    });
    return await client.request('POST', '/comparisons', {
      body: {
        baselineRunId: baseline.id,
        candidateRunId: candidate.id,
        metricIds,
        level,
        groupBy,
        calibrateWith: 'people',
      },
    });
  } catch (error) {
    if (error instanceof CannotTell) throw new CommandFailure(error.message);
    if (error instanceof RequestFailure && error.code === 'VALIDATION_ERROR')
      throw new CommandFailure(`These runs cannot be compared: ${error.reason}`);
    throw error;
  }
}

const titleOf = ({ id, name }: Run): string => (name === undefined ? id : `${name} (${id})`);

const columns: Column[] = [
  { title: 'METRIC', align: 'left', canShrink: true },
  { title: 'PAIRS', align: 'right' },
  { title: 'BASELINE', align: 'right' },
  { title: 'CANDIDATE', align: 'right' },
  { title: 'DIFFERENCE', align: 'right' },
  { title: 'VERDICT', align: 'left' },
];

function rowOf(metric: MetricComparison): string[] {
  const { name, outputType, paired, baselineMean, candidateMean } = metric;
  const { difference, verdict } = decidingFigures(metric);
  return [
    name,
    whole(paired),
    figure(outputType, baselineMean),
    figure(outputType, candidateMean),
    change(outputType, difference),
    verdict,
  ];
}

/** Sentences on the metrics, and the warnings of the comparison, each once. */
function notesOf({ metrics, warnings = [] }: Comparison, candidate: string): string[] {
  const said = metrics.flatMap((metric) => [
    { name: metric.name, sentence: verdictSentence(metric, candidate) },
    ...(metric.warnings ?? []).map(({ message }) => ({ name: metric.name, sentence: message })),
  ]);
  return [
    ...said.map(({ name, sentence }) => `${name}: ${sentence}`),
    ...warnings.map(({ message }) => message),
  ];
}

function tableLines(
  comparison: Comparison,
  { baseline, candidate }: Sides<string>,
  candidateName: string,
  width: number,
): string[] {
  return [
    `Baseline   ${baseline}`,
    `Candidate  ${candidate}`,
    '',
    ...table({ columns, rows: comparison.metrics.map(rowOf), widthMax: width }),
    ...notesOf(comparison, candidateName).flatMap((note) => ['', ...wrap(note, width)]),
  ];
}

function markdownLines(
  comparison: Comparison,
  { baseline, candidate }: Sides<string>,
  candidateName: string,
): string[] {
  const cells = (row: string[]) => `| ${row.join(' | ')} |`;
  return [
    `**Baseline** ${markdownText(baseline)} · **candidate** ${markdownText(candidate)}`,
    '',
    cells(['Metric', 'Pairs', 'Baseline', 'Candidate', 'Difference', 'Verdict']),
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...comparison.metrics.map((metric) => {
      const [name, ...figures] = rowOf(metric);
      return cells([markdownText(name!), ...figures]);
    }),
    '',
    ...notesOf(comparison, candidateName).map((note) => `- ${markdownText(note)}`),
  ];
}

function readLevel(text: string): number {
  const level = Number(text);
  if (level > 0.5 && level < 1) return level;
  throw new InvalidArgumentError('It must be between 0.5 and 1, such as 0.95.');
}
