import type { Client } from '@assay/client/client';
import type { ReplyOf } from '@assay/client/operations';
import { type ComparisonQuestion, compareRuns } from '../ask.ts';
import { erroredRecords, everyCallFailedSentence, hasOnlyErrors } from '../errors.ts';
import {
  type ComparedMetric,
  type Comparison,
  countOf,
  decidingFigures,
  type MetricComparison,
} from '../figures.ts';
import { verdictSentence } from '../sentence.ts';
import { allowedOf, type Limits, type Voice } from './limits.ts';
import { judgePassRate } from './pass-rate.ts';
import { type Finding, judge, type Outcome } from './rules.ts';
import { exceeds, hasUnknown, isLacking, lackOfRun } from './unknown.ts';

export type RunSummary = ReplyOf<'GET', '/runs/:runId/summary'>;
export type MetricSummary = RunSummary['metrics'][number];

/** The finding on a metric; without a comparison in a first run. */
export interface MetricFinding extends Finding {
  name: string;
  metric: MetricComparison | undefined;
  summary: MetricSummary | undefined;
}

/** The finding on errors: how often the systems failed. */
export interface ErrorsFinding extends Pick<Finding, 'outcome' | 'reasons'> {
  errors: ComparedMetric | undefined;
  /** The candidate's. */
  summary?: RunSummary['errors'];
}

/** Everything that the gate found. */
export interface GateFindings {
  findings: MetricFinding[];
  errors: ErrorsFinding;
  outcome: Outcome;
}

interface RuleOptions {
  limits: Limits;
  voice: Voice;
  /** The ids of the metrics that were named: those of people are held to their scores only then. */
  namedIds?: readonly string[] | undefined;
}

/** A comparison, with the one in which unknown scores count against the candidate. */
export interface AskedComparison {
  comparison: Comparison;
  /** Left out where no score is unknown, or `allowMissing` sets how many may be. */
  filled?: Comparison | undefined;
}

/** Compares two runs, and once more where unknown scores could turn the result. */
export async function askComparison(
  client: Client,
  question: ComparisonQuestion,
  { limits, namedIds }: Pick<RuleOptions, 'limits' | 'namedIds'>,
): Promise<AskedComparison> {
  const comparison = await compareRuns(client, question);
  const held = comparison.metrics.filter((metric) => isHeld(metric, namedIds));
  if (limits.allowMissing !== undefined || !held.some(hasUnknown)) return { comparison };
  const filled = await compareRuns(client, { ...question, unknownScores: 'against_candidate' });
  return { comparison, filled };
}

const isHeld = (
  { evalType, metricId }: Pick<MetricComparison, 'evalType' | 'metricId'>,
  namedIds: readonly string[] = [],
): boolean => evalType !== 'human' || namedIds.includes(metricId);

/** Judges a comparison by the rules (contract section 5, The gate). */
export function judgeComparison(
  { comparison, filled, summary }: AskedComparison & { summary: RunSummary },
  { limits, voice, namedIds }: RuleOptions,
): GateFindings {
  const findings = comparison.metrics.map((metric, place): MetricFinding => {
    const own = summary.metrics.find(
      ({ metricVersionId }) => metricVersionId === metric.candidateMetricVersionId,
    );
    const finding = judge({
      metric,
      filled: filled?.metrics[place],
      passBounds: own?.passBounds,
      limits,
      isHeld: isHeld(metric, namedIds),
      voice,
    });
    return { name: metric.name, metric, summary: own, ...finding };
  });
  return concluded(findings, judgeErrors(comparison.errors, summary, { limits, voice }));
}

/** Judges a run that has nothing to be compared with: by its limits alone. */
export function judgeFirstRun(
  summary: RunSummary,
  { limits, voice, namedIds }: RuleOptions,
): GateFindings {
  const newest = new Map(summary.metrics.map((metric) => [metric.metricId, metric]));
  const findings = [...newest.values()].map((own): MetricFinding => {
    const counts = {
      expected: own.expected ?? own.records,
      missing: own.missing ?? 0,
      failed: own.failed,
      invalid: own.invalid,
    };
    const { allowMissing } = limits;
    const isAllowed = allowMissing !== undefined && !exceeds(counts, allowMissing);
    const rate = judgePassRate(own.passBounds, { limits, isAllowed, voice });
    const lack = isLacking(counts) ? lackOfRun(counts) : '';
    const tooMany =
      allowMissing !== undefined && !isAllowed
        ? [`${lack}, and ${voice.options.allowMissing} allows ${allowMissing}.`]
        : [];
    const against = rate.outcome === 'worse' ? [rate.reason!] : [];
    const inTheWay = [...(rate.outcome === 'unknown' ? [rate.reason!] : []), ...tooMany];
    const blocking = isHeld(own, namedIds) ? inTheWay : [];
    return {
      name: own.name,
      metric: undefined,
      summary: own,
      outcome: against.length > 0 ? 'worse' : blocking.length > 0 ? 'unknown' : 'passed',
      reasons: [...against, ...blocking],
      remarks: [],
      lacking: lack !== '' && tooMany.length === 0 ? [`${lack}.`] : [],
    };
  });
  return concluded(findings, judgeErrors(undefined, summary, { limits, voice }), true);
}

/** The conclusion where nothing stands against the candidate. */
export function passedSentence(findings: MetricFinding[]): string {
  const better = findings.filter(
    ({ metric }) => metric && decidingFigures(metric).verdict === 'better',
  ).length;
  return `Not worse: ${better} of ${countOf(findings.length, 'metric')} better, ${findings.length - better} undecided.`;
}

/**
 * The rule for errors: a verdict and `maxErrors` stand against the candidate. A run without a single
 * answer is an obstacle (ADR 63). No p-value is none, since most runs have no errors.
 */
function judgeErrors(
  errors: ComparedMetric | undefined,
  { errors: own }: RunSummary,
  { limits: { maxErrors }, voice }: RuleOptions,
): ErrorsFinding {
  const reasons = errors?.verdict === 'worse' ? [verdictSentence(errors, voice.candidate)] : [];
  const count = erroredRecords(own);
  const expected = own.expected ?? own.records;
  if (maxErrors !== undefined && count > allowedOf(maxErrors, expected))
    reasons.push(
      `${count} of ${expected} records of ${voice.candidate} are errors, and ${voice.options.maxErrors} allows ${maxErrors}.`,
    );
  if (reasons.length > 0) return { errors, summary: own, outcome: 'worse', reasons };
  return hasOnlyErrors(own)
    ? { errors, summary: own, outcome: 'unknown', reasons: [everyCallFailedSentence] }
    : { errors, summary: own, outcome: 'passed', reasons };
}

/**
 * Worse if any metric or errors are, then unknown if any of them could not be judged, or nothing
 * could be compared: errors alone tell nothing of a candidate.
 */
function concluded(
  findings: MetricFinding[],
  errors: ErrorsFinding,
  isFirst = false,
): GateFindings {
  const outcomes = [...findings, errors].map(({ outcome }) => outcome);
  const told = findings.filter(
    ({ metric }) => metric && decidingFigures(metric).adjustedPValue !== null,
  );
  const isUnknown = outcomes.includes('unknown') || (!isFirst && told.length === 0);
  const outcome = outcomes.includes('worse') ? 'worse' : isUnknown ? 'unknown' : 'passed';
  return { findings, errors, outcome };
}
