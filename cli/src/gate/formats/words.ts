import { errorsRate, failuresInWords } from '@assay/comparison/errors';
import { type ComparedRuns, countOf, figure } from '@assay/comparison/figures';
import type { MetricFinding } from '@assay/comparison/gate/gate';
import type { Outcome } from '@assay/comparison/gate/rules';
import type { MetricFlips } from '../flips.ts';
import type { Report } from '../report.ts';
import type { RunTitle } from '../run-titles.ts';

export const conclusions: Record<Outcome, string> = {
  passed: 'passed',
  worse: 'worse',
  unknown: 'could not tell',
};

/** "Prompt 14 (019a…)" */
export const titleOf = ({ id, name }: RunTitle): string =>
  name === undefined ? id : `${name} (${id})`;

/** The date, system version and labels of a run: "2026-11-20 10:12 UTC, Support bot · Version 3, branch main". */
export function descriptionOf({
  createdAt,
  part,
  system,
  version,
  branch,
  commit,
}: RunTitle): string {
  return [
    `${createdAt.slice(0, 16).replace('T', ' ')} UTC`,
    ...(part === undefined ? [] : [part]),
    ...(version === undefined ? [] : [system === undefined ? version : `${system} · ${version}`]),
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(commit === undefined ? [] : [`commit ${commit.slice(0, 12)}`]),
  ].join(', ');
}

/** A score as people read it; of a boolean, whether it passes, which `false` does where less is better. */
export function scoreText(
  value: boolean | number,
  { lowerIsBetter }: Pick<MetricFlips, 'lowerIsBetter'>,
): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  return value === (lowerIsBetter === true) ? 'fail' : 'pass';
}

/** The rows of a table of a comparison. */
export const comparedOf = ({ findings, errors }: Report): ComparedRuns => ({
  metrics: findings.flatMap(({ metric }) => metric ?? []),
  errors: errors?.errors,
});

/** The result of a metric in a run that has nothing to be compared with: "85.0 % of 200 testcases". */
export function resultOf({ summary }: MetricFinding): string {
  if (!summary) return '–';
  const { outputType, passRate, mean, count, lowerIsBetter } = summary;
  const share = outputType === 'boolean' ? passRate : mean;
  // Comparisons tell the share that is true.
  const verb = outputType === 'boolean' && lowerIsBetter ? (count === 1 ? ' passes' : ' pass') : '';
  return `${figure(outputType, share)} of ${countOf(count, 'testcase')}${verb}`;
}

/** The same of the errors of such a run: "33.3 % of 12 testcases: the system failed on 4 of 12 records". */
export function errorsOfFirstRun({ errors, whyFirst }: Report): string[] {
  if (whyFirst === undefined || !errors?.summary) return [];
  const failures = failuresInWords(errors.summary);
  return [`${errorsRate(errors.summary)}${failures === undefined ? '' : `: ${failures}`}.`];
}

/** The reasons against errors, as the others are told. */
export const reasonsOfErrors = ({ errors }: Pick<Report, 'errors'>): string[] =>
  (errors?.reasons ?? []).map((reason) => `"errors": ${reason}`);
