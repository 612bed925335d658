import type { StatedScale } from '@assay/contracts/scale';
import { findProblems } from '@assay/evaluators/check';
import { evaluate as judge } from '@assay/evaluators/evaluate';
import type { SchemaChecker } from '@assay/evaluators/evaluation';
import { createConversionLog } from './conversion.ts';
import { defaults } from './defaults.ts';
import type {
  Evaluation,
  Json,
  LocalMetric,
  LocalOptions,
  MetricResult,
  Row,
  Testcase,
} from './evaluation.ts';
import { forUsersCode } from './exact-numbers.ts';
import { type CallResult, callSystem, createStop, forEachConcurrently } from './execution.ts';
import { AssayError } from './failure.ts';
import { readGivenRows } from './given-rows.ts';
import { type LocalScore, summarize } from './local-summary.ts';
import { noteLines, shownLines } from './notes.ts';
import { showProgress } from './progress.ts';
import { createProviderLimits } from './provider-limits.ts';
import { reportLines } from './report.ts';
import { createScorers, problemNotes, type Scorers } from './scorers.ts';
import { createErrorLog, printStacks } from './system-error.ts';
import { fieldsOfRow } from './testcase-rows.ts';
import { chooseTestcases } from './testcases.ts';

interface LocalTestcase extends Testcase {
  index: number;
}

/** Evaluates on this machine alone, by own scorers and built-in evaluators. */
export async function evaluateLocally(project: string, options: LocalOptions): Promise<Evaluation> {
  const { system, metrics = [], trials = 1, quiet } = options;
  for (const metric of metrics) checkMetric(metric);
  const given = await readGivenRows(options.testcases);
  const testcases = given.rows.map(testcaseOf);
  const scorers = createScorers(options.scores);
  const scores: LocalScore[] = [];
  const rows: Row[] = [];
  const failed: LocalScore[] = [];
  let records = 0;
  const errors = createErrorLog();
  const conversions = createConversionLog();
  const concurrency = options.concurrency ?? defaults.concurrency;
  const { signal } = createStop();
  const { retries = defaults.retries, rateLimit } = options;
  const limits = createProviderLimits({ concurrency, retries, rateLimit, signal });
  const total = Math.min(options.limit ?? options.sample ?? testcases.length, testcases.length);
  const progress = quiet
    ? undefined
    : showProgress({
        screen: process.stderr,
        state: () => ({
          records,
          errors: errors.count(),
          recordsExpected: total * trials,
          scoring: undefined,
          waiting: undefined,
        }),
      });
  try {
    await forEachConcurrently({
      items: callsOf(chooseTestcases(testcases, options), trials),
      concurrency,
      signal,
      work: async ({ testcase, trial }) => {
        const { timeoutMs = defaults.timeoutMs } = options;
        const result = await limits.call(() =>
          callSystem({ system, testcase, trial, timeoutMs, signal }),
        );
        if (!result) return;
        records += 1;
        if (result.error) errors.add(result.error);
        failed.push(failureOf(result, testcase.index));
        conversions.add(result.notes);
        const own = await scoresOf(result, { testcase: testcase.index, scorers, metrics });
        scores.push(...own);
        rows.push(rowOf(result, own));
      },
    });
  } finally {
    progress?.stop();
  }
  scorers.settle();
  const summarized = new Map<string, StatedScale>([
    ...scorers.names.map((name) => [name, scorers.metricOf(name) ?? float] as const),
    ...metrics.map((metric) => [metric.name, metric] as const),
  ]);
  const problems = new Map([...scorers.problems].map(([name, { count }]) => [name, count]));
  const notes = [
    { text: notCompared, isMain: true },
    ...given.notes,
    ...errors.notes(),
    ...conversions.notes(),
    ...problemNotes(scorers),
    ...limits.notes(),
  ];
  const evaluation: Evaluation = {
    runId: null,
    link: null,
    records,
    errors: errors.count(),
    metrics: summarize({
      scores,
      metrics: summarized,
      trials,
      problems,
    }),
    errorRate: errorRateOf(failed, trials),
    comparison: null,
    outcome: 'unknown',
    exitCode: 2,
    reason: notCompared,
    notes: noteLines(notes),
    async *rows() {
      yield* rows;
    },
  };
  if (!quiet) printStacks([errors, scorers]);
  if (!quiet)
    process.stdout.write(
      `${reportLines(evaluation, `${project} (local)`, { notes: shownLines(notes) }).join('\n')}\n`,
    );
  return evaluation;
}

/** The scores of one record by all scorers and metrics; undefined values where there is none. */
async function scoresOf(
  result: CallResult,
  {
    testcase,
    scorers,
    metrics,
  }: { testcase: number; scorers: Scorers; metrics: readonly LocalMetric[] },
): Promise<LocalScore[]> {
  const isErrored = result.error !== undefined;
  const given = new Map((await scorers.score(result)).map(({ name, value }) => [name, value]));
  return [
    ...scorers.names.map((name) => ({
      name,
      testcase,
      value: given.get(name),
      isOwn: true,
      isErrored: isErrored && !given.has(name),
    })),
    ...(await Promise.all(
      metrics.map(async (metric) => ({
        name: metric.name,
        testcase,
        value: await scoreBy(metric, result),
        isOwn: false,
        isErrored,
      })),
    )),
  ];
}

/** Whether the system failed, as the score of a record. */
const failureOf = ({ error }: CallResult, testcase: number): LocalScore => ({
  name: 'errors',
  testcase,
  value: error !== undefined,
  isOwn: false,
});

/** How often the system failed, as a server says it. */
function errorRateOf(scores: LocalScore[], trials: number): MetricResult {
  const metrics = new Map([['errors', { outputType: 'boolean', lowerIsBetter: true } as const]]);
  return summarize({ scores, metrics, trials, problems: new Map() })[0]!;
}

const rowOf = (
  { testcase: { inputs, expected }, outputs, error, latencyMs }: CallResult,
  scores: readonly LocalScore[],
): Row => ({
  ...forUsersCode({ inputs, outputs, expected }),
  scores: Object.fromEntries(scores.map(({ name, value }) => [name, value ?? null])),
  ...(error ? { error } : {}),
  durationMs: latencyMs,
});

const float: StatedScale = { outputType: 'float' };
const notCompared = 'Nothing was sent, stored or compared: this was a local evaluation.';

async function* callsOf(testcases: AsyncIterable<LocalTestcase>, trials: number) {
  for await (const testcase of testcases)
    for (let trial = 1; trial <= trials; trial++) yield { testcase, trial };
}

/** The checker of schemas needs worker threads that this package does not carry. */
function checkMetric({ name, outputType, builtin }: LocalMetric): void {
  if (builtin?.name === 'json_schema')
    throw new AssayError(
      `The metric ${JSON.stringify(name)} needs a server: json_schema is not part of local evaluations.`,
    );
  const [problem] = findProblems({ builtin: builtin ?? { name: '' }, outputType });
  if (problem)
    throw new AssayError(
      `The metric ${JSON.stringify(name)} cannot be used: ${problem.path}: ${problem.message}`,
    );
}

const noSchemas: SchemaChecker = {
  check: async () => [],
  validate: async () => [],
};

/** The value of a built-in evaluator; undefined where it fails, as on a system that did. */
async function scoreBy(
  { builtin, outputType }: LocalMetric,
  { testcase, outputs, error }: CallResult,
): Promise<boolean | number | undefined> {
  if (error) return undefined;
  const { expected } = testcase;
  const judged = await judge({ builtin, outputType, expected, outputs, schemaChecker: noSchemas });
  return judged.ok ? judged.value : undefined;
}

function testcaseOf(row: Json, index: number): LocalTestcase {
  const { inputs, expected, metadata } = fieldsOfRow(row, { number: index + 1 });
  const { id, key } = row;
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof key === 'string' ? { key } : {}),
    inputs,
    expected,
    metadata,
    index,
  };
}
