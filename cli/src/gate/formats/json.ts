import { erroredRecords } from '@assay/comparison/errors';
import { decidingFigures } from '@assay/comparison/figures';
import type { PlanReport } from '../plan.ts';
import type { Report } from '../report.ts';

/** The report for programs: each metric as the comparison returned it, with the gate's finding. */
export function jsonReport({
  outcome,
  exitCode,
  reason,
  question,
  runs,
  whyFirst,
  findings,
  errors,
  flips,
  notCompared,
  warnings,
}: Report): string {
  const { baseline, candidate, level, anytime, groupBy, limits } = question;
  const metrics = findings.map(({ metric, summary, ...finding }) => ({
    ...metric,
    ...(metric ? { decidedBy: decidingFigures(metric).decidedBy } : {}),
    candidatePassRate: summary?.passRate ?? null,
    passBounds: summary?.passBounds ?? null,
    ...finding,
  }));
  const report = {
    outcome,
    exitCode,
    reason,
    isFirstRun: whyFirst !== undefined,
    baselineRunId: whyFirst === undefined ? (runs?.baseline?.id ?? baseline) : null,
    candidateRunId: runs?.candidate.id ?? candidate,
    runs: runs ?? null,
    level,
    anytime,
    groupBy,
    limits,
  };
  const ofErrors = errors && {
    ...errors.errors,
    ...(errors.summary
      ? {
          candidateErrors: erroredRecords(errors.summary),
          candidateRecords: errors.summary.records,
        }
      : {}),
    outcome: errors.outcome,
    reasons: errors.reasons,
  };
  return textOf({ ...report, metrics, errors: ofErrors ?? null, flips, notCompared, warnings });
}

/** The plan for programs: as Assay returned it, with the question. */
export function planJson({ question, plan, exitCode, reason }: PlanReport): string {
  const { difference, power, level } = question;
  return textOf({ exitCode, reason, difference, power, level, plan: plan ?? null });
}

const textOf = (report: object): string =>
  `${JSON.stringify(report, null, 2).replaceAll(steering, asEscape)}\n`;

/**
 * Characters that JSON leaves unescaped, and that a terminal may obey. An escape means the same.
 */
const steering = /[\u007f-\u009f]|\p{Cf}/gu;
const asEscape = (sign: string): string =>
  Array.from(
    { length: sign.length },
    (_, index) => `\\u${sign.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
