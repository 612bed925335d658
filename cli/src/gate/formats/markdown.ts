import { whole } from '@assay/client/figures';
import { markdownCode, markdownText } from '@assay/client/markdown';
import { comparisonMarkdown, markdownRow } from '@assay/comparison/markdown';
import type { Flip, MetricFlips } from '../flips.ts';
import type { Report } from '../report.ts';
import type { JudgedRuns } from '../run-titles.ts';
import {
  comparedOf,
  descriptionOf,
  errorsOfFirstRun,
  reasonsOfErrors,
  resultOf,
  scoreText,
  titleOf,
} from './words.ts';

const headings = {
  passed: 'Passed: the candidate is not worse',
  worse: 'Worse: the candidate does not pass',
  unknown: 'Could not tell',
};

/** The report for the page of a CI job. */
export function markdownReport(report: Report): string {
  const { findings, flips, warnings, runs } = report;
  const remarks = findings.flatMap(({ name, reasons, remarks, lacking }) =>
    [...reasons, ...remarks, ...lacking].map((text) => `"${name}": ${text}`),
  );
  return joined([
    ...opening(report),
    [...remarks, ...reasonsOfErrors(report), ...warnings].map((text) => `- ${markdownText(text)}`),
    ...flips.flatMap(flipSections),
    linkLines(runs),
  ]);
}

/** Changes that a comment shows. */
const changesMax = 5;

/** The report for a comment on a change: the sentence, the table, the largest changes, the link. */
export function markdownComment(report: Report): string {
  const changes = report.flips
    .flatMap((metric) => metric.flips.map((flip) => ({ metric, flip })))
    .toSorted((one, other) => changeOf(other.flip) - changeOf(one.flip))
    .slice(0, changesMax);
  const table =
    changes.length === 0
      ? []
      : [
          'The largest changes:',
          '',
          markdownRow(['Metric', 'Inputs', 'Before', 'After']),
          '| --- | --- | --- | --- |',
          ...changes.map(({ metric, flip }) => {
            const [inputs, , before, after] = cellsOf(flip, metric);
            return markdownRow([markdownText(metric.name), inputs, before, after]);
          }),
        ];
  return joined([...opening(report), table, linkLines(report.runs)]);
}

/** The heading, the sentence, the runs and the table. */
function opening(report: Report): string[][] {
  const { outcome, reason, question, runs } = report;
  const compared = comparedOf(report);
  const alone = report.findings.filter(({ metric }) => !metric);
  return [
    [`### ${headings[outcome]}`],
    [markdownText(reason)],
    runs
      ? runLines(runs)
      : [
          `Baseline ${markdownCode(question.baseline)}, candidate ${markdownCode(question.candidate)}`,
        ],
    compared.metrics.length === 0 ? [] : comparisonMarkdown(compared),
    [
      ...alone.map((finding) => `"${finding.name}": ${resultOf(finding)}`),
      ...errorsOfFirstRun(report).map((result) => `"errors": ${result}`),
    ].map((text) => `- ${markdownText(text)}`),
  ];
}

const joined = (sections: string[][]): string =>
  `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;

const linkLines = (runs: JudgedRuns | undefined): string[] =>
  runs?.link === undefined
    ? []
    : [`[The ${runs.baseline ? 'comparison' : 'run'} in the console](${runs.link})`];

const runLines = ({ baseline, candidate }: JudgedRuns): string[] =>
  Object.entries({ ...(baseline ? { Baseline: baseline } : {}), Candidate: candidate }).map(
    ([role, run]) =>
      `- **${role}** ${markdownText(titleOf(run))}: ${markdownText(descriptionOf(run))}`,
  );

const changeOf = ({ baselineValue, candidateValue }: Flip): number =>
  Math.abs(Number(candidateValue) - Number(baselineValue));

function flipSections({ name, flips, lowerIsBetter, ...counts }: MetricFlips): string[][] {
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
        ...shown.map((flip) => markdownRow(cellsOf(flip, { lowerIsBetter }))),
        '',
        '</details>',
      ],
    ];
  });
}

/** The inputs, the expected, and the answers before and after. */
function cellsOf(
  flip: Flip,
  metric: Pick<MetricFlips, 'lowerIsBetter'>,
): [string, string, string, string] {
  const { inputs, expected, baselineValue, baselineOutputs } = flip;
  const { candidateValue, candidateOutputs } = flip;
  const cell = (text: string) => (text === '' ? '' : markdownCode(text));
  return [
    cell(inputs),
    cell(expected),
    `${scoreText(baselineValue, metric)} ${cell(baselineOutputs)}`,
    `${scoreText(candidateValue, metric)} ${cell(candidateOutputs)}`,
  ];
}
