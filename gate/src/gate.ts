import { type Client, RequestFailure } from '@assay/client/client';
import type { Comparison, MetricComparison } from '@assay/client/comparison';
import { sizeAdvice } from './advice.ts';
import type { Question } from './arguments.ts';
import { CannotTell, sentenceOf } from './failure.ts';
import { conclude, type Report } from './report.ts';
import { judge } from './rules.ts';
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
  try {
    return await compare({ client, question });
  } catch (error) {
    if (error instanceof CannotTell) return conclude({ question, obstacle: error.message });
    if (error instanceof RequestFailure)
      return conclude({ question, obstacle: sentenceOf(error, question) });
    throw error;
  }
}

async function compare({
  client,
  question,
}: {
  client: Client;
  question: Question;
}): Promise<Report> {
  const { limits, level, groupBy } = question;
  const { baseline, candidate } = await readSides({ client, question });
  const { metricIds, notCompared } = selectMetrics({
    wanted: question.metrics,
    baseline,
    candidate,
  });
  const compared = await client.request<Comparison>('POST', '/comparisons', {
    baselineRunId: baseline.runId,
    candidateRunId: candidate.runId,
    metricIds,
    level,
    groupBy,
    ...(question.anytime ? {} : { calibrateWith: correctedBy(question, { baseline, candidate }) }),
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
  return conclude({ question, findings, notCompared, warnings });
}

/**
 * Whose scores correct the judges.
 * @throws CannotTell where it is not a metric of both runs.
 */
const correctedBy = ({ humanMetric }: Question, sides: Record<Side['role'], Side>) =>
  humanMetric
    ? { humanMetricId: selectMetrics({ wanted: [humanMetric], ...sides }).metricIds[0]! }
    : 'people';

/** A metric with the figures that hold however often one looks in the place of the others. */
const withAnytimeFigures = (metric: MetricComparison): MetricComparison => ({
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
  if (baseline === candidate) throw new CannotTell('Baseline and candidate are the same run.');
  const ended = new AbortController();
  const patience = { waitMs: wait * 1000, signal: ended.signal };
  const read = (role: Side['role'], runId: string) =>
    readSide({ client, role, runId, humanMetric, ...patience }).catch(notFoundAs(role, runId));
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

const notFoundAs =
  (role: Side['role'], runId: string) =>
  (error: unknown): never => {
    if (error instanceof RequestFailure && error.code === 'NOT_FOUND')
      throw new CannotTell(
        `There is no run ${runId}, which is to be the ${role}: it is not of the key's organization, or was deleted.`,
      );
    throw error;
  };

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
