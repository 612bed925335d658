import { decidingFigures, type MetricComparison } from '@assay/comparison/figures';
import type { Question } from './arguments.ts';
import type { MetricFlips } from './flips.ts';
import { type ErrorsFinding, type Finding, type Outcome, overall } from './rules.ts';
import type { ComparedRuns } from './run-titles.ts';
import type { Selection } from './selection.ts';

export interface MetricFinding extends Finding {
  metric: MetricComparison;
  candidatePassRate: number | null;
}

/**
 * All that the gate says, in whatever format. Names in it are as they were given: each format makes
 * them harmless for its reader.
 */
export interface Report {
  outcome: Outcome;
  exitCode: 0 | 1 | 2;
  /** One sentence. */
  reason: string;
  question: Question;
  /** Undefined where they were not found. */
  runs: ComparedRuns | undefined;
  findings: MetricFinding[];
  /** Undefined where the runs were not compared. */
  errors: ErrorsFinding | undefined;
  flips: MetricFlips[];
  notCompared: Selection['notCompared'];
  warnings: string[];
}

export const exitCodes = { passed: 0, worse: 1, unknown: 2 } as const;

/** Makes a report of the findings, or of the `obstacle` that prevented them. */
export function conclude({
  question,
  runs,
  findings = [],
  errors,
  flips = [],
  notCompared = [],
  warnings = [],
  obstacle,
}: {
  question: Question;
  runs?: ComparedRuns | undefined;
  findings?: MetricFinding[];
  errors?: ErrorsFinding;
  flips?: MetricFlips[];
  notCompared?: Selection['notCompared'];
  warnings?: string[];
  obstacle?: string;
}): Report {
  const outcome = obstacle === undefined ? outcomeOf(findings, errors) : 'unknown';
  const reason = obstacle ?? reasonOf({ outcome, findings, errors });
  return {
    outcome,
    exitCode: exitCodes[outcome],
    reason,
    question,
    runs,
    findings,
    errors,
    flips,
    notCompared,
    warnings,
  };
}

/** Errors alone tell nothing of a candidate: where no metric is compared, nothing is. */
function outcomeOf(findings: MetricFinding[], errors: ErrorsFinding | undefined): Outcome {
  const ofMetrics = overall(findings.map((finding) => finding.outcome));
  return errors?.outcome === 'worse' ? 'worse' : ofMetrics;
}

/** The first metric that decided it, and how many more; of those that pass, how many are better. */
function reasonOf({
  outcome,
  findings,
  errors,
}: {
  outcome: Outcome;
  findings: MetricFinding[];
  errors: ErrorsFinding | undefined;
}): string {
  const ofErrors = errors?.outcome === 'worse' ? [{ metric: errors.errors, ...errors }] : [];
  const [first, ...others] = [...findings, ...ofErrors].filter(
    (finding) => finding.outcome === outcome,
  );
  if (!first) return 'There is nothing to compare.';
  if (outcome !== 'passed') {
    const more =
      others.length === 0
        ? ''
        : ` (And ${others.length} more ${others.length === 1 ? 'metric' : 'metrics'}.)`;
    return `"${first.metric.name}": ${first.reasons[0]}${more}`;
  }
  const better = findings.filter(
    ({ metric }) => decidingFigures(metric).verdict === 'better',
  ).length;
  return `Not worse: ${better} of ${findings.length} ${findings.length === 1 ? 'metric' : 'metrics'} better, ${findings.length - better} undecided.`;
}
