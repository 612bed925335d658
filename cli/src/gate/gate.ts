import { type Client, RequestFailure } from '@assay/client/client';
import { findBaseline, findRun, projectsOf, type Run } from '@assay/client/find';
import { LookupFailure } from '@assay/client/named';
import { compareRuns } from '@assay/comparison/ask';
import type { ComparedMetric, MetricComparison } from '@assay/comparison/figures';
import { sizeAdvice } from './advice.ts';
import type { Question } from './arguments.ts';
import { CannotTell, sentenceOf } from './failure.ts';
import { readFlips } from './flips.ts';
import { conclude, type Report } from './report.ts';
import { judge, judgeErrors } from './rules.ts';
import { type ComparedRuns, describeRuns } from './run-titles.ts';
import { readSide, type Side } from './runs.ts';
import { selectMetrics } from './selection.ts';

/**
 * Asks Assay to compare two runs, and judges each metric. `CannotTell` and `RequestFailure` become
 * an outcome, never thrown.
 */
export async function gate({
  client,
  question,
}: {
  client: Client;
  question: Question;
}): Promise<Report> {
  let runs: ComparedRuns | undefined;
  const ofBaseline: string[] = [];
  try {
    const { project, url } = question;
    const tell = (sentence: string) => ofBaseline.push(sentence);
    const named = await nameRuns({ client, question, tell });
    runs = await describeRuns({ client, ...named, project, url });
    const ids = { baseline: named.baseline.id, candidate: named.candidate.id };
    const report = await compare({ client, question: { ...question, ...ids }, runs });
    return { ...report, warnings: [...ofBaseline, ...report.warnings] };
  } catch (error) {
    if (error instanceof CannotTell || error instanceof LookupFailure)
      return conclude({ question, runs, obstacle: error.message, warnings: ofBaseline });
    if (error instanceof RequestFailure)
      return conclude({
        question,
        runs,
        obstacle: sentenceOf(error, question),
        warnings: ofBaseline,
      });
    throw error;
  }
}

/** Finds the candidate first, since its testset tells which runs can be its baseline. */
async function nameRuns({
  client,
  question: { baseline, candidate, project },
  tell,
}: {
  client: Client;
  question: Question;
  /** Told what there is to say about the choice of the baseline. */
  tell: (sentence: string) => void;
}): Promise<Record<Side['role'], Run>> {
  // A wrong project is a slip, also where ids name the runs.
  if (project !== undefined) await projectsOf(client, project);
  const after = await findRun({ client, wanted: candidate, project });
  const { id: ownRunId, testsetId, systemId } = after;
  const surroundings = { testsetId, systemId, ownRunId, tell };
  const before = await findBaseline({ client, wanted: baseline, project, ...surroundings });
  if (before.id === after.id) throw new CannotTell('Baseline and candidate are the same run.');
  return { baseline: before, candidate: after };
}

async function compare({
  client,
  question,
  runs,
}: {
  client: Client;
  /** With the ids of the runs. */
  question: Question;
  runs: ComparedRuns;
}): Promise<Report> {
  const { limits, level, groupBy } = question;
  const { baseline, candidate } = await readSides({ client, question });
  const { metricIds, notCompared } = selectMetrics({
    wanted: question.metrics,
    baseline,
    candidate,
  });
  const compared = await compareRuns(client, {
    baselineRunId: baseline.runId,
    candidateRunId: candidate.runId,
    metricIds,
    level,
    groupBy,
    humanMetricId: humanMetricOf(question, { baseline, candidate }),
  });
  const { warnings: ofTestcases = [] } = compared;
  const metrics = question.anytime ? compared.metrics.map(withAnytimeFigures) : compared.metrics;
  const findings = [];
  for (const metric of metrics) {
    const candidatePassRate =
      summaryOf(candidate, metric.candidateMetricVersionId)?.passRate ?? null;
    const { remarks, ...finding } = judge({ metric, candidatePassRate, limits });
    remarks.push(...(await sizeAdvice({ client, question, metric })));
    findings.push({ metric, candidatePassRate, ...finding, remarks });
  }
  const warnings = [
    ...ofTestcases.map(({ message }) => message),
    ...notCompared.map(notComparedSentence),
    ...metrics.flatMap((metric) => failedSentences({ metric, baseline, candidate })),
  ];
  const sides = { baselineRunId: baseline.runId, candidateRunId: candidate.runId };
  const flips = await readFlips({ client, ...sides, findings });
  const errors = judgeErrors(
    question.anytime ? withAnytimeFigures(compared.errors) : compared.errors,
  );
  return conclude({ question, runs, findings, errors, flips, notCompared, warnings });
}

/**
 * Whose scores correct the judges.
 * @throws CannotTell where it is not a metric of both runs.
 */
const humanMetricOf = ({ humanMetric }: Question, sides: Record<Side['role'], Side>) =>
  humanMetric === undefined
    ? undefined
    : selectMetrics({ wanted: [humanMetric], ...sides }).metricIds[0];

/**
 * A metric with the figures that hold however often one looks in the place of the others: people's
 * corrections have none.
 */
const withAnytimeFigures = <Metric extends ComparedMetric>({
  calibrated: _,
  ...metric
}: Metric) => ({
  ...metric,
  pValue: metric.anytimePValue,
  adjustedPValue: metric.anytimeAdjustedPValue,
  confidenceInterval: metric.anytimeInterval,
  verdict: metric.anytimeVerdict,
});

async function readSides({
  client,
  question: { baseline, candidate, wait, humanMetric },
}: {
  client: Client;
  question: Question;
}) {
  const ended = new AbortController();
  const patience = { waitMs: wait * 1000, signal: ended.signal };
  const read = (role: Side['role'], runId: string) =>
    readSide({ client, role, runId, humanMetric, ...patience });
  try {
    const [before, after] = await Promise.all([
      read('baseline', baseline),
      read('candidate', candidate),
    ]);
    return { baseline: before, candidate: after };
  } finally {
    ended.abort();
  }
}

const summaryOf = ({ metrics }: Side, versionId: string) =>
  metrics.find(({ metricVersionId }) => metricVersionId === versionId);

const notComparedSentence = ({ name, role }: { name: string; role: Side['role'] }): string =>
  `"${name}" is not compared: only the ${role} run has it.`;

/**
 * Reports failed scores: no mean contains them, and their reason may be testcases on which a system
 * fails.
 */
function failedSentences({
  metric,
  baseline,
  candidate,
}: {
  metric: MetricComparison;
  baseline: Side;
  candidate: Side;
}): string[] {
  const versions = [
    { side: baseline, versionId: metric.baselineMetricVersionId },
    { side: candidate, versionId: metric.candidateMetricVersionId },
  ];
  return versions.flatMap(({ side, versionId }) => {
    const failed = summaryOf(side, versionId)?.failed ?? 0;
    return failed > 0
      ? [
          `"${metric.name}": ${failed} ${failed === 1 ? 'score' : 'scores'} of the ${side.role} run failed.`,
        ]
      : [];
  });
}
