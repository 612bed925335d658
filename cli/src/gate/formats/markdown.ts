import { whole } from '@assay/client/figures';
import { markdownCode, markdownText } from '@assay/client/markdown';
import { comparisonMarkdown, markdownRow } from '@assay/comparison/markdown';
import type { Flip, MetricFlips } from '../flips.ts';
import type { Report } from '../report.ts';
import type { ComparedRuns } from '../run-titles.ts';
import { descriptionOf, scoreText, titleOf } from './words.ts';

const headings = {
  passed: 'Passed: the candidate is not worse',
  worse: 'Worse: the candidate does not pass',
  unknown: 'Could not tell',
};

/** The report for the page of a CI job, or a comment on a change. */
export function markdownReport({
  outcome,
  reason,
  question,
  runs,
  findings,
  errors,
  flips,
  warnings,
}: Report): string {
  const remarks = findings.flatMap(({ metric, reasons, remarks }) =>
    [...reasons, ...remarks].map((text) => `"${metric.name}": ${text}`),
  );
  const sections = [
    [`### ${headings[outcome]}`],
    [markdownText(reason)],
    runs
      ? runLines(runs)
      : [
          `Baseline ${markdownCode(question.baseline)}, candidate ${markdownCode(question.candidate)}`,
        ],
    findings.length === 0
      ? []
      : comparisonMarkdown({
          metrics: findings.map(({ metric }) => metric),
          errors: errors?.errors,
        }),
    [...remarks, ...(errors?.reasons ?? []).map((text) => `"errors": ${text}`), ...warnings].map(
      (text) => `- ${markdownText(text)}`,
    ),
    ...flips.flatMap(flipSections),
    runs?.link === undefined ? [] : [`[The comparison in the console](${runs.link})`],
  ];
  const text = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${text.join('\n\n')}\n`;
}

const runLines = ({ baseline, candidate }: ComparedRuns): string[] =>
  Object.entries({ Baseline: baseline, Candidate: candidate }).map(
    ([role, run]) =>
      `- **${role}** ${markdownText(titleOf(run))}: ${markdownText(descriptionOf(run))}`,
  );

function flipSections({ name, flips, ...counts }: MetricFlips): string[][] {
  return (['regressed', 'improved'] as const).flatMap((direction) => {
    const shown = flips.filter((flip) => flip.direction === direction);
    if (shown.length === 0) return [];
    const count = counts[direction];
    const most = count > shown.length ? `, the largest ${shown.length} of ${whole(count)}` : '';
    return [
      [
        `<details><summary>${markdownText(`"${name}", ${direction}${most}`)}</summary>`,
        '',
        markdownRow(['Inputs', 'Expected', 'Before', 'After']),
        '| --- | --- | --- | --- |',
        ...shown.map(flipRow),
        '',
        '</details>',
      ],
    ];
  });
}

function flipRow(flip: Flip): string {
  const { inputs, expected, baselineValue, baselineOutputs } = flip;
  const { candidateValue, candidateOutputs } = flip;
  const cell = (text: string) => (text === '' ? '' : markdownCode(text));
  return markdownRow([
    cell(inputs),
    cell(expected),
    `${scoreText(baselineValue)} ${cell(baselineOutputs)}`,
    `${scoreText(candidateValue)} ${cell(candidateOutputs)}`,
  ]);
}
