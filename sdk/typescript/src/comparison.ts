import { type Client, RequestFailure } from '@assay/client/client';
import { type ComparedMetric, decidingFigures } from '@assay/comparison/figures';
import {
  askComparison,
  type GateFindings,
  judgeComparison,
  judgeFirstRun,
  passedSentence,
  type RunSummary,
} from '@assay/comparison/gate/gate';
import type { Voice } from '@assay/comparison/gate/limits';
import { verdictSentence } from '@assay/comparison/sentence';
import type { Baseline } from './baseline.ts';
import type { Comparison, Evaluation, Gate, MetricVerdict } from './evaluation.ts';
import { linesOf, type Note } from './notes.ts';

/** How an evaluation names the candidate and the limits of its gate. */
const voice: Voice = {
  candidate: 'this run',
  options: {
    minPassRate: 'minPassRate',
    minPasses: 'minPasses',
    maxRegression: 'maxRegression',
    maxErrors: 'maxErrors',
    allowMissing: 'allowMissing',
  },
};

/** A run beside its baseline, and the findings of the gate. */
interface ComparedRun {
  comparison: Comparison;
  judged: GateFindings;
  notes: Note[];
}

/** Compares with the baseline; a sentence where there is nothing that both runs have. */
export async function compare({
  client,
  baseline,
  runId,
  summary,
  gate = {},
  link,
}: {
  client: Client;
  baseline: Baseline;
  runId: string;
  summary: RunSummary;
  gate: Gate | undefined;
  link: string;
}): Promise<ComparedRun | string> {
  try {
    const question = { baselineRunId: baseline.runId, candidateRunId: runId };
    const asked = await askComparison(client, question, { limits: gate });
    const { metrics, errors, warnings = [] } = asked.comparison;
    if (metrics.length === 0) return 'The runs have no metric in common.';
    const judged = judgeComparison({ ...asked, summary }, { limits: gate, voice });
    const notes: Note[] = [
      ...warnings.map(({ message }) => ({ text: message })),
      ...metrics.flatMap(({ name, warnings: own = [] }) =>
        own.map(({ message }) => ({ text: message, metric: name })),
      ),
      ...obstacleNotes(judged),
      ...lackingNotes(judged),
    ];
    const comparison: Comparison = {
      baselineRunId: baseline.runId,
      metrics: metrics.map(verdictOf),
      errors: verdictOf(errors),
      warnings: linesOf(notes),
      link,
    };
    return { comparison, judged, notes };
  } catch (error) {
    if (error instanceof RequestFailure && error.status === 400) return error.reason;
    throw error;
  }
}

/** The finding on a run that has nothing to be compared with: by its limits alone. */
export const judgeAlone = (summary: RunSummary, gate: Gate = {}): GateFindings =>
  judgeFirstRun(summary, { limits: gate, voice });

/** Whether a run can meet the gate by itself: it asks for no comparison. */
export const hasOnlyLimits = ({ maxRegression, minPassRate, maxErrors }: Gate = {}): boolean =>
  maxRegression === undefined && (minPassRate !== undefined || maxErrors !== undefined);

/** Why the gate cannot tell. */
const obstacleNotes = ({ findings }: GateFindings): Note[] =>
  findings
    .filter(({ outcome }) => outcome === 'unknown')
    .flatMap(({ name, reasons }) =>
      reasons.map((text) => ({ text, metric: name, isFailure: true })),
    );

export const lackingNotes = ({ findings }: GateFindings): Note[] =>
  findings.flatMap(({ name, lacking }) => lacking.map((text) => ({ text, metric: name })));

/** The verdict on a metric, or on errors. */
function verdictOf(metric: ComparedMetric): MetricVerdict {
  const { name, paired, recordsPerTestcase, baselineMean, candidateMean } = metric;
  const { verdict, decidedBy, difference, confidenceInterval, adjustedPValue } =
    decidingFigures(metric);
  return {
    name,
    ...(metric.lowerIsBetter ? { lowerIsBetter: true } : {}),
    paired,
    recordsPerTestcase,
    decidedBy,
    verdict,
    difference,
    confidenceInterval,
    adjustedPValue,
    baselineMean,
    candidateMean,
    sentence: verdictSentence(metric, voice.candidate),
  };
}

const exitCodes = { passed: 0, worse: 1, unknown: 2 } as const;

type Conclusion = Pick<Evaluation, 'outcome' | 'exitCode' | 'reason'>;

/** The conclusion where the runs cannot be compared. */
export const unknownFor = (reason: string): Conclusion => ({
  outcome: 'unknown',
  exitCode: exitCodes.unknown,
  reason,
});

/** A reason begins as the part of a line; beside others it is a sentence. */
const asSentence = (reason: string, place: number): string =>
  place === 0 ? reason : reason.charAt(0).toUpperCase() + reason.slice(1);

/** The conclusion of the gate's findings; `alone` is the reason of a run that nothing is compared with. */
export function conclude({ findings, errors, outcome }: GateFindings, alone?: string): Conclusion {
  const exitCode = exitCodes[outcome];
  if (outcome !== 'passed') {
    const reason = [...findings, { name: 'errors', ...errors }]
      .filter((finding) => finding.outcome === outcome)
      .map(({ name, reasons }) => `${JSON.stringify(name)}: ${reasons.map(asSentence).join(' ')}`)
      .join(' ');
    return { outcome, exitCode, reason: reason || 'There is nothing to compare.' };
  }
  if (alone !== undefined) return { outcome, exitCode, reason: alone };
  return { outcome, exitCode, reason: passedSentence(findings) };
}
