import { type Client, RequestFailure } from '@assay/client/client';
import { baselineForms, findBaseline, findRun, type Run } from '@assay/client/find';
import { markdownText } from '@assay/client/markdown';
import { partOfRun } from '@assay/client/part-of-run';
import { printable } from '@assay/client/printable';
import { compareRuns } from '@assay/comparison/ask';
import { breakdownMarkdown, breakdownNote, breakdownTable } from '@assay/comparison/breakdown';
import { type Comparison, decidingFigures } from '@assay/comparison/figures';
import { comparisonMarkdown } from '@assay/comparison/markdown';
import { comparisonNotes } from '@assay/comparison/notes';
import { comparisonRefusal } from '@assay/comparison/refused';
import { comparisonTable } from '@assay/comparison/table';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure } from '../failure.ts';
import { CannotTell } from '../gate/failure.ts';
import { selectMetrics } from '../gate/selection.ts';
import { readSummary } from '../lookup.ts';
import {
  type Context,
  collect,
  errorsOption,
  type ProjectOptions,
  projectOption,
  withServer,
} from '../options.ts';
import { wrap } from '../text.ts';

interface CompareOptions extends ProjectOptions {
  metric: string[];
  level: number;
  groupBy?: string;
  breakdownBy?: string;
  errors: 'worst' | 'exclude';
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
      .option(
        '--breakdown-by <pointer>',
        'JSON Pointer into inputs or metadata, or tags: also compares each value by itself',
      )
      .addOption(errorsOption())
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
    const ofBaseline: string[] = [];
    const tell = (sentence: string) => ofBaseline.push(sentence);
    const surroundings = { testsetId, systemId, ownRunId, tell };
    const baseline = await findBaseline({ client, wanted: first, project, ...surroundings });
    const comparison = await compare(client, { baseline, candidate }, options);
    const format = options.json ? 'json' : options.format;
    if (comparison.metrics.some(isUntold)) process.exitCode = 2;
    if (format === 'json')
      return terminal.printJson({
        baseline: outlineOf(baseline),
        candidate: outlineOf(candidate),
        ...(ofBaseline.length > 0 ? { baselineWarnings: ofBaseline } : {}),
        ...comparison,
      });
    const titles = { baseline: titleOf(baseline), candidate: titleOf(candidate) };
    const notes = [
      ...ofBaseline,
      ...comparisonNotes(comparison, candidate.name ?? 'the candidate'),
    ];
    const lines =
      format === 'markdown'
        ? markdownLines(comparison, titles, notes)
        : tableLines(comparison, titles, notes, terminal.width);
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
  { metric, level, groupBy, breakdownBy, errors }: CompareOptions,
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
    return await compareRuns(client, {
      baselineRunId: baseline.id,
      candidateRunId: candidate.id,
      metricIds,
      level,
      groupBy,
      breakdownBy,
      errors,
    });
  } catch (error) {
    if (error instanceof CannotTell) throw new CommandFailure(error.message);
    if (error instanceof RequestFailure && error.code === 'VALIDATION_ERROR')
      throw new CommandFailure(
        comparisonRefusal(error) ?? `These runs cannot be compared: ${error.reason}`,
      );
    throw error;
  }
}

/** There is no verdict, as where the runs have no pair of a metric: 2, as the gate says. */
const isUntold = (metric: Comparison['metrics'][number]): boolean =>
  decidingFigures(metric).adjustedPValue === null;

function titleOf(run: Run): string {
  const title = run.name === undefined ? run.id : `${run.name} (${run.id})`;
  const part = partOfRun(run);
  return part === undefined ? title : `${title}, ${part}`;
}

/** A run for programs. */
function outlineOf(run: Run) {
  const part = partOfRun(run);
  return { id: run.id, name: run.name, ...(part === undefined ? {} : { part }) };
}

function tableLines(
  comparison: Comparison,
  { baseline, candidate }: Sides<string>,
  notes: string[],
  width: number,
): string[] {
  return [
    `Baseline   ${baseline}`,
    `Candidate  ${candidate}`,
    '',
    ...comparisonTable(comparison, { widthMax: width, shown: printable }),
    ...notes.flatMap((note) => ['', ...wrap(note, width)]),
    ...breakdownLines(comparison, (compared) => [
      ...breakdownTable(compared, { widthMax: width, shown: printable }),
      '',
      ...wrap(printable(breakdownNote(compared.breakdown)), width),
    ]),
  ];
}

function markdownLines(
  comparison: Comparison,
  { baseline, candidate }: Sides<string>,
  notes: string[],
): string[] {
  return [
    `**Baseline** ${markdownText(baseline)} · **candidate** ${markdownText(candidate)}`,
    '',
    ...comparisonMarkdown(comparison),
    '',
    ...notes.map((note) => `- ${markdownText(note)}`),
    ...breakdownLines(comparison, (compared) => [
      ...breakdownMarkdown(compared),
      '',
      markdownText(breakdownNote(compared.breakdown)),
    ]),
  ];
}

/** The breakdown below the comparison, where one was asked for. */
const breakdownLines = (
  { metrics, breakdown }: Comparison,
  write: (compared: Parameters<typeof breakdownMarkdown>[0]) => string[],
): string[] => (breakdown ? ['', ...write({ metrics, breakdown })] : []);

function readLevel(text: string): number {
  const level = Number(text);
  if (level > 0.5 && level < 1) return level;
  throw new InvalidArgumentError('It must be between 0.5 and 1, such as 0.95.');
}
