import { failuresInWords } from '@assay/comparison/errors';
import {
  type ErrorsFinding,
  type GateFindings,
  type MetricFinding,
  passedSentence,
} from '@assay/comparison/gate/gate';
import type { Outcome } from '@assay/comparison/gate/rules';
import type { Question } from './arguments.ts';
import type { MetricFlips } from './flips.ts';
import type { JudgedRuns } from './run-titles.ts';
import type { Selection } from './selection.ts';

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
  runs: JudgedRuns | undefined;
  /** Why there is nothing to compare with, of a first run. */
  whyFirst: string | undefined;
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
  whyFirst,
  findings = [],
  errors,
  outcome: found = 'unknown',
  flips = [],
  notCompared = [],
  warnings = [],
  obstacle,
}: {
  question: Question;
  runs?: JudgedRuns | undefined;
  whyFirst?: string;
  flips?: MetricFlips[];
  notCompared?: Selection['notCompared'];
  warnings?: string[];
  obstacle?: string;
} & Partial<GateFindings>): Report {
  const outcome = obstacle === undefined ? found : 'unknown';
  const reason = obstacle ?? reasonOf({ outcome, findings, errors, whyFirst });
  return {
    outcome,
    exitCode: exitCodes[outcome],
    reason,
    question,
    runs,
    whyFirst,
    findings,
    errors,
    flips,
    notCompared,
    warnings,
  };
}

/** The first metric that decided it, and how many more; of those that pass, how many are better. */
function reasonOf({
  outcome,
  findings,
  errors,
  whyFirst,
}: {
  outcome: Outcome;
  findings: MetricFinding[];
  errors: ErrorsFinding | undefined;
  whyFirst: string | undefined;
}): string {
  if (outcome === 'passed' && whyFirst === undefined) return passedSentence(findings);
  if (outcome === 'passed') {
    const failures = errors?.summary && failuresInWords(errors.summary);
    return `A first run: ${whyFirst}${failures === undefined ? '' : ` But ${failures}.`}`;
  }
  const ofErrors = errors ? [{ name: 'errors', ...errors }] : [];
  const [first, ...others] = [...findings, ...ofErrors].filter(
    (finding) => finding.outcome === outcome,
  );
  if (!first) return 'There is nothing to compare.';
  const more =
    others.length === 0
      ? ''
      : ` (And ${others.length} more ${others.length === 1 ? 'metric' : 'metrics'}.)`;
  return `"${first.name}": ${first.reasons[0]}${more}`;
}
