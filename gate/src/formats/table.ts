import { comparisonTable } from '@assay/client/comparison';
import { printable } from '@assay/client/printable';
import type { Report } from '../report.ts';

const conclusions = { passed: 'passed', worse: 'worse', unknown: 'could not tell' };

/** The report for people: the table, the notes on it, and the conclusion in one line. */
export function tableReport({ outcome, exitCode, question, findings, warnings }: Report): string {
  const { baseline, candidate, level } = question;
  const named = findings.flatMap(({ metric, reasons, remarks }) =>
    [...reasons, ...remarks].map((text) => `"${metric.name}": ${text}`),
  );
  const lines = [
    `Baseline ${baseline}, candidate ${candidate}`,
    ...(findings.length > 0
      ? ['', ...comparisonTable({ metrics: findings.map(({ metric }) => metric), level })]
      : []),
    ...[...named, ...warnings].flatMap((note, index) => (index === 0 ? ['', note] : [note])),
    '',
    `Outcome: ${conclusions[outcome]} (exit ${exitCode})`,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}
