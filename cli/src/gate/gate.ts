import { type Client, RequestFailure } from '@assay/client/client';
import { findBaseline, findRun, projectsOf, type Run } from '@assay/client/find';
import { LookupFailure, NoBaselineYet } from '@assay/client/named';
import type { ComparedMetric } from '@assay/comparison/figures';
import {
  type AskedComparison,
  askComparison,
  judgeComparison,
  judgeFirstRun,
} from '@assay/comparison/gate/gate';
import { sizeAdvice } from './advice.ts';
import type { Question } from './arguments.ts';
import { CannotTell, sentenceOf } from './failure.ts';
import { readFlips } from './flips.ts';
import { conclude, type Report } from './report.ts';
import { describeRuns, type JudgedRuns } from './run-titles.ts';
import { readSide, type Side } from './runs.ts';
import { selectMetrics } from './selection.ts';
import { voice } from './voice.ts';

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
  let runs: JudgedRuns | undefined;
  const ofBaseline: string[] = [];
  try {
    const { project, url } = question;
    const tell = (sentence: string) => ofBaseline.push(sentence);
    const { baseline, candidate, whyFirst } = await nameRuns({ client, question, tell });
    runs = await describeRuns({ client, baseline, candidate, project, url });
    if (!baseline)
      return await judgeAlone({
        client,
        question: { ...question, candidate: candidate.id },
        runs,
        whyFirst: whyFirst!,
      });
    const ids = { baseline: baseline.id, candidate: candidate.id };
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
  /** Gets sentences about the choice of the baseline. */
  tell: (sentence: string) => void;
}): Promise<{ candidate: Run; baseline?: Run; whyFirst?: string }> {
  // A wrong project is a slip, also where ids name the runs.
  if (project !== undefined) await projectsOf(client, project);
  const after = await findRun({ client, wanted: candidate, project });
  const { id: ownRunId, testsetId, systemId } = after;
  const surroundings = { testsetId, systemId, ownRunId, tell };
  try {
    const before = await findBaseline({ client, wanted: baseline, project, ...surroundings });
    if (before.id === after.id) throw new CannotTell('Baseline and candidate are the same run.');
    return { baseline: before, candidate: after };
  } catch (error) {
    if (error instanceof NoBaselineYet) return { candidate: after, whyFirst: error.message };
    throw error;
  }
}

interface JudgedQuestion {
  client: Client;
  /** With the ids of the runs. */
  question: Question;
  runs: JudgedRuns;
}

/** Judges a run that has nothing to be compared with: by its limits. */
async function judgeAlone({
  client,
  question,
  runs,
  whyFirst,
}: JudgedQuestion & { whyFirst: string }): Promise<Report> {
  const [candidate] = await readSides({ client, question, roles: ['candidate'] });
  const sides = { baseline: candidate, candidate };
  const namedIds = namedIdsOf(question, sides);
  const { summary, incomplete } = candidate;
  const metrics = summary.metrics.filter(({ metricId }) => namedIds?.includes(metricId) ?? true);
  const judged = judgeFirstRun(
    { ...summary, metrics },
    { limits: question.limits, voice, namedIds },
  );
  return conclude({
    question,
    runs,
    ...judged,
    whyFirst,
    warnings: incomplete ? [incomplete] : [],
  });
}

const namedIdsOf = (
  { metrics }: Question,
  sides: Record<Side['role'], Side>,
): string[] | undefined =>
  metrics.length === 0 ? undefined : selectMetrics({ wanted: metrics, ...sides }).metricIds;

async function compare({ client, question, runs }: JudgedQuestion): Promise<Report> {
  const { limits, level, groupBy, errors } = question;
  const [baseline, candidate] = await readSides({
    client,
    question,
    roles: ['baseline', 'candidate'],
  });
  const { metricIds, notCompared } = selectMetrics({
    wanted: question.metrics,
    baseline,
    candidate,
  });
  const namedIds = question.metrics.length === 0 ? undefined : metricIds;
  const asked = await askComparison(
    client,
    {
      baselineRunId: baseline.runId,
      candidateRunId: candidate.runId,
      // Metrics of people are held to their scores only where they are named.
      metricIds: namedIds,
      level,
      groupBy,
      errors,
      humanMetricId: humanMetricOf(question, { baseline, candidate: candidate }),
    },
    { limits, namedIds },
  );
  const shown = question.anytime ? withAnytimeFigures(asked) : asked;
  const judged = judgeComparison(
    { ...shown, summary: candidate.summary },
    { limits, voice, namedIds },
  );
  for (const { metric, remarks } of judged.findings)
    remarks.push(...(await sizeAdvice({ client, question, metric: metric! })));
  const warnings = [
    ...(shown.comparison.warnings ?? []).map(({ message }) => message),
    ...notCompared.map(notComparedSentence),
    ...[baseline, candidate].flatMap(({ incomplete }) => incomplete ?? []),
  ];
  const ids = { baselineRunId: baseline.runId, candidateRunId: candidate.runId };
  const flips = await readFlips({ client, ...ids, findings: judged.findings, errors });
  return conclude({ question, runs, ...judged, flips, notCompared, warnings });
}

/**
 * Whose scores correct the judges.
 * @throws CannotTell where it is not a metric of both runs.
 */
const humanMetricOf = ({ humanMetric }: Question, sides: Record<Side['role'], Side>) =>
  humanMetric === undefined
    ? undefined
    : selectMetrics({ wanted: [humanMetric], ...sides }).metricIds[0];

/** Comparisons with the figures that hold however often one looks in the place of the others. */
function withAnytimeFigures({ comparison, filled }: AskedComparison): AskedComparison {
  const changed = ({ metrics, errors, ...others }: AskedComparison['comparison']) => ({
    ...others,
    metrics: metrics.map(anytimeOf),
    errors: anytimeOf(errors),
  });
  return { comparison: changed(comparison), filled: filled && changed(filled) };
}

/** People's corrections have no such figures. */
const anytimeOf = <Metric extends ComparedMetric>({ calibrated: _, ...metric }: Metric) => ({
  ...metric,
  pValue: metric.anytimePValue,
  adjustedPValue: metric.anytimeAdjustedPValue,
  confidenceInterval: metric.anytimeInterval,
  verdict: metric.anytimeVerdict,
});

async function readSides<Roles extends Side['role'][]>({
  client,
  question,
  roles,
}: {
  client: Client;
  question: Question;
  roles: [...Roles];
}): Promise<{ [Place in keyof Roles]: Side }> {
  const ended = new AbortController();
  const patience = { waitMs: question.wait * 1000, signal: ended.signal };
  const read = (role: Side['role']) =>
    readSide({ client, role, runId: question[role], question, ...patience });
  try {
    return (await Promise.all(roles.map(read))) as { [Place in keyof Roles]: Side };
  } finally {
    ended.abort();
  }
}

const notComparedSentence = ({ name, role }: { name: string; role: Side['role'] }): string =>
  `"${name}" is not compared: only the ${role} run has it.`;
