import { whole } from '@assay/client/figures';
import type { MetricFinding } from '@assay/comparison/gate/gate';
import { verdictSentence } from '@assay/comparison/sentence';
import { comparisonTable } from '@assay/comparison/table';
import type { Flip, MetricFlips } from '../flips.ts';
import type { Report } from '../report.ts';
import { harmlessLine, oneLine } from './harmless.ts';
import {
  comparedOf,
  conclusions,
  descriptionOf,
  errorsOfFirstRun,
  reasonsOfErrors,
  resultOf,
  scoreText,
  titleOf,
} from './words.ts';

/** How a report is drawn: on a terminal, or into a file or pipe. */
export interface Drawing {
  widthMax: number;
  isColored: boolean;
}

const plainDrawing: Drawing = { widthMax: 80, isColored: false };

/** The report for people: the runs, a table, the notes on it, and the conclusion in one line. */
export function tableReport(
  report: Report,
  { widthMax, isColored }: Drawing = plainDrawing,
): string {
  const { outcome, exitCode, question, runs, whyFirst, findings, flips, warnings } = report;
  const paint = isColored ? painted : (text: string) => text;
  const compared = comparedOf(report);
  const lines = comparisonTable(compared, { widthMax, shown: harmlessLine });
  const notes = [
    ...findings.flatMap(notesOf),
    ...errorsOfFirstRun(report).map((result) => `"errors": ${result}`),
    ...reasonsOfErrors(report),
    ...warnings,
  ];
  const sections = [
    runs
      ? [
          ...(runs.baseline ? runLines('Baseline', runs.baseline) : []),
          ...runLines('Candidate', runs.candidate),
        ]
      : [harmlessLine(`Baseline ${question.baseline}, candidate ${question.candidate}`)],
    whyFirst === undefined ? [] : [harmlessLine(`A first run: ${whyFirst}`)],
    compared.metrics.length === 0
      ? []
      : lines.map((line) => line.replace(/(?<= )(better|worse)(?= \(judge alone\)$|$)/, paint)),
    notes.map(harmlessLine),
    ...flips.map((each) => flipLines(each, widthMax)),
    runs?.link === undefined ? [] : [harmlessLine(runs.link)],
    [`Outcome: ${paint(conclusions[outcome])} (exit ${exitCode})`],
  ];
  const text = sections.filter((section) => section.length > 0).map((each) => each.join('\n'));
  return `${text.join('\n\n')}\n`;
}

const colours: Record<string, number> = { better: 32, passed: 32, worse: 31, 'could not tell': 33 };

const painted = (word: string): string => `\u001b[1;${colours[word]}m${word}\u001b[0m`;

function runLines(role: string, run: Parameters<typeof titleOf>[0]): string[] {
  const label = role.padEnd(11);
  return [`${label}${titleOf(run)}`, `${' '.repeat(11)}${descriptionOf(run)}`].map(harmlessLine);
}

/** The reasons against a metric, or its verdict whole, and the remarks. */
function notesOf(finding: MetricFinding): string[] {
  const { name, metric, reasons, remarks, lacking } = finding;
  const verdict = metric ? verdictSentence(metric, 'the candidate') : `${resultOf(finding)}.`;
  const counts = metric
    ? [`${whole(metric.regressed)} regressed, ${whole(metric.improved)} improved.`]
    : [];
  return [...(reasons.length > 0 ? reasons : [verdict]), ...counts, ...remarks, ...lacking].map(
    (sentence) => `"${name}": ${sentence}`,
  );
}

function flipLines(
  { name, flips, lowerIsBetter, ...counts }: MetricFlips,
  widthMax: number,
): string[] {
  return (['regressed', 'improved'] as const).flatMap((direction) => {
    const shown = flips.filter((flip) => flip.direction === direction);
    if (shown.length === 0) return [];
    const count = counts[direction];
    const most = count > shown.length ? `, the largest ${shown.length} of ${whole(count)}` : '';
    return [
      harmlessLine(`"${name}", ${direction}${most}:`),
      ...shown.flatMap((flip) => textLines(flip, { lowerIsBetter, widthMax })),
    ];
  });
}

function textLines(
  flip: Flip,
  { widthMax, ...metric }: { widthMax: number } & Pick<MetricFlips, 'lowerIsBetter'>,
): string[] {
  const before = `  before    ${scoreText(flip.baselineValue, metric)}: ${flip.baselineOutputs}`;
  const after = `  after     ${scoreText(flip.candidateValue, metric)}: ${flip.candidateOutputs}`;
  return [
    `- ${flip.inputs}`,
    ...(flip.expected === '' ? [] : [`  expected  ${flip.expected}`]),
    before,
    after,
  ].map((line) => harmlessLine(indented(line, widthMax)));
}

/** One line; its indentation stays. */
function indented(line: string, charactersMax: number): string {
  const [space] = /^ *(\w+ +)?/.exec(line)!;
  return `${space}${oneLine(line.slice(space.length), charactersMax - space.length)}`;
}
