import { markdownText } from '@assay/client/markdown';
import { type ComparedRuns, comparedOf } from './figures.ts';
import { type Row, rowsOf } from './table.ts';

/** The table of a comparison for a page of CI, or a comment on a change. */
export const comparisonMarkdown = (compared: ComparedRuns): string[] => [
  markdownRow(Object.values(titles)),
  `| --- |${' ---: |'.repeat(Object.keys(titles).length - 2)} --- |`,
  ...comparedOf(compared)
    .flatMap(rowsOf)
    .map((row) => markdownRow(names.map((name) => markdownText(row[name].trim())))),
];

export const markdownRow = (cells: string[]): string => `| ${cells.join(' | ')} |`;

const titles = {
  metric: 'Metric',
  testcases: 'Testcases',
  baseline: 'Baseline',
  candidate: 'Candidate',
  difference: 'Difference',
  interval: 'Interval',
  adjustedP: 'Adjusted p',
  verdict: 'Verdict',
} as const satisfies Partial<Row>;
const names = Object.keys(titles) as (keyof typeof titles)[];
