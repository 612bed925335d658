import { type Client, orUndefined, RequestFailure } from '@assay/client/client';
import { type Candidate, searchNewest, warningOfChoice } from '@assay/client/newest-run';
import { compareRuns } from '@assay/comparison/ask';
import { type ComparedMetric, decidingFigures, lossOf } from '@assay/comparison/figures';
import { verdictSentence } from '@assay/comparison/sentence';
import type { Comparison, Evaluation, Gate, MetricVerdict } from './evaluation.ts';
import { AssayError } from './failure.ts';
import { linesOf, type Note } from './notes.ts';
import type { Run } from './waiting.ts';

/** The run to compare with, and why it is that one. */
export interface Baseline {
  runId: string;
  /** 'run "Prompt 13", the baseline of the testset' */
  description: string;
}

/**
 * Finds the run that a new one is compared with: the one that is named, else the testset's
 * baseline, else the newest completed run of the system's production version. Where no system is
 * known, it is the newest completed run on the testset; not for a gate, since small losses from run
 * to run would pass it one by one.
 */
export async function findBaseline({
  client,
  projectId,
  testset,
  named,
  productionVersionId,
  isGate,
  candidate,
  tell,
}: {
  client: Client;
  projectId: string;
  testset: { id: string; baselineRunId: string | null };
  named: string | undefined;
  productionVersionId: string | undefined;
  isGate: boolean;
  /** The new run. */
  candidate: Candidate;
  /** Told which runs were passed over, and why the run that was chosen would be. */
  tell: (sentence: string) => void;
}): Promise<Baseline | undefined> {
  if (named !== undefined) {
    const run = await readRun(client, named);
    if (run?.testsetId !== testset.id)
      throw new AssayError(`The baseline ${named} is not a run of this testset.`);
    return chosen(run, runName(run));
  }
  const { baselineRunId } = testset;
  const ofTestset =
    baselineRunId === null || baselineRunId === candidate.runId
      ? undefined
      : await readRun(client, baselineRunId);
  if (ofTestset) return chosen(ofTestset, `${runName(ofTestset)}, the baseline of the testset`);
  if (productionVersionId === undefined && isGate) return undefined;
  const { run, passedOver } = await searchNewest(client, {
    projectId,
    testsetId: testset.id,
    wanted: productionVersionId === undefined ? {} : { systemVersionId: productionVersionId },
    candidate,
  });
  for (const sentence of passedOver) tell(sentence);
  const of = productionVersionId === undefined ? 'on this testset' : 'of the production version';
  if (run)
    return {
      runId: run.id,
      description: `${runName(run)}, the newest completed run ${of}`,
    };
  return undefined;

  async function chosen(run: Run, description: string): Promise<Baseline> {
    const warning = await warningOfChoice(client, { projectId }, { run, candidate });
    if (warning !== undefined) tell(warning);
    return { runId: run.id, description };
  }
}

const readRun = (client: Client, runId: string): Promise<Run | undefined> =>
  orUndefined(client.request('GET', '/runs/:runId', { params: { runId } }));

const runName = ({ id, name }: { id: string; name?: string }): string =>
  name === undefined ? `run ${id}` : `run ${JSON.stringify(name)}`;

const candidateName = 'this run';

/** Compares with the baseline; a sentence where there is nothing that both runs have. */
export async function compare({
  client,
  baseline,
  runId,
  link,
}: {
  client: Client;
  baseline: Baseline;
  runId: string;
  link: string;
}): Promise<{ comparison: Comparison; warnings: Note[] } | string> {
  try {
    const {
      metrics,
      errors,
      warnings = [],
    } = await compareRuns(client, {
      baselineRunId: baseline.runId,
      candidateRunId: runId,
    });
    if (metrics.length === 0) return 'The runs have no metric in common.';
    const notes: Note[] = [
      ...warnings.map(({ message }) => ({ text: message })),
      ...metrics.flatMap(({ name, warnings: own = [] }) =>
        own.map(({ message }) => ({ text: message, metric: name })),
      ),
    ];
    const comparison: Comparison = {
      baselineRunId: baseline.runId,
      metrics: metrics.map(verdictOf),
      errors: verdictOf(errors),
      warnings: linesOf(notes),
      link,
    };
    return { comparison, warnings: notes };
  } catch (error) {
    if (error instanceof RequestFailure && error.status === 400) return error.reason;
    throw error;
  }
}

/** The verdict on a metric, or on errors. */
function verdictOf(metric: ComparedMetric): MetricVerdict {
  const { name, paired, baselineMean, candidateMean } = metric;
  const { verdict, decidedBy, difference, confidenceInterval, adjustedPValue } =
    decidingFigures(metric);
  return {
    name,
    ...(metric.lowerIsBetter ? { lowerIsBetter: true } : {}),
    paired,
    decidedBy,
    verdict,
    difference,
    confidenceInterval,
    adjustedPValue,
    baselineMean,
    candidateMean,
    sentence: verdictSentence(metric, candidateName),
  };
}

/** Differences of means are sums of fractions: 0.7 − 0.8 comes out a little below −0.1. */
const rounding = 1e-9;

/**
 * The conclusion: worse where one metric is, or errors are; unknown where a metric cannot be told.
 */
export function conclude(
  comparison: Comparison | string,
  { maxRegression }: Gate = {},
): Pick<Evaluation, 'outcome' | 'exitCode' | 'reason'> {
  if (typeof comparison === 'string')
    return { outcome: 'unknown', exitCode: 2, reason: comparison };
  const worse = comparison.metrics.flatMap((metric) => {
    const { name, verdict, difference, sentence } = metric;
    if (verdict === 'worse') return [`${JSON.stringify(name)}: ${sentence}`];
    if (maxRegression === undefined || difference === null) return [];
    const loss = lossOf(metric.lowerIsBetter ? { lowerIsBetter: true } : {}, difference);
    if (loss <= maxRegression + rounding) return [];
    const size = `${Number(loss.toPrecision(6))} ${difference > 0 ? 'higher' : 'lower'}`;
    return [
      `${JSON.stringify(name)} is ${size}, and maxRegression allows ${maxRegression}. ${sentence}`,
    ];
  });
  const { errors } = comparison;
  if (errors?.verdict === 'worse') worse.push(`"errors": ${errors.sentence}`);
  if (worse.length > 0) return { outcome: 'worse', exitCode: 1, reason: worse.join(' ') };
  const unknown = comparison.metrics.filter(({ adjustedPValue }) => adjustedPValue === null);
  if (unknown.length > 0)
    return {
      outcome: 'unknown',
      exitCode: 2,
      reason: unknown.map(({ name, sentence }) => `${JSON.stringify(name)}: ${sentence}`).join(' '),
    };
  const better = comparison.metrics.filter(({ verdict }) => verdict === 'better').length;
  return {
    outcome: 'passed',
    exitCode: 0,
    reason: `Not worse: ${better} of ${comparison.metrics.length} ${comparison.metrics.length === 1 ? 'metric' : 'metrics'} better, none worse.`,
  };
}

export const everyCallFailedSentence = 'Every call of the system failed.';

/** The conclusion where every call failed: nothing is known of the system, unless a gate fails by it. */
export function concludeErrors(
  conclusion: Pick<Evaluation, 'outcome' | 'exitCode' | 'reason'>,
  everyCallFailed: boolean,
): Pick<Evaluation, 'outcome' | 'exitCode' | 'reason'> {
  if (!everyCallFailed) return conclusion;
  const reason = `${everyCallFailedSentence} ${conclusion.reason}`;
  return conclusion.outcome === 'worse'
    ? { ...conclusion, reason }
    : { outcome: 'unknown', exitCode: 2, reason };
}
