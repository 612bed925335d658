import { expect, test } from 'vitest';
import type { ComparedMetric, MetricComparison } from '../figures.ts';
import { comparisonMarkdown } from '../markdown.ts';
import { comparisonTable } from '../table.ts';
import examples from './sentences.json' with { type: 'json' };

const metricOf = (own: Partial<MetricComparison> = {}) =>
  ({ ...examples.metric, improved: 293, regressed: 64, ...own }) as unknown as MetricComparison;
const shown = (text: string) => text;
const wide = (own: Partial<MetricComparison>) =>
  comparisonTable({ metrics: [metricOf(own)] }, { isWide: true, shown }).map((line) =>
    line.trim().split(/ {2,}/),
  );

test('a comparison is a row a metric, with its level, p-values and verdict', () => {
  const [head, row] = wide({});
  expect(head).toContain('95 % INTERVAL');
  expect(row).toEqual([
    ...['Correct answer', '1,319', '21.7 %', '17.4 %', '−4.3', '−7.1 to −1.5', '0.0027', '0.0027'],
    ...['293', '64', 'worse'],
  ]);
});

test('the verdict of a judge says that it is by the judge alone', () => {
  expect(wide({ evalType: 'ai' })[1]!.at(-1)).toBe('worse (judge alone)');
});

test("a judge that people's scores correct has a second row with the verdict that counts", () => {
  const found = examples.cases.find(({ name }) => name.includes('turn round'))!;
  const [, own, corrected] = wide(found.metric as Partial<MetricComparison>);
  expect(own!.at(-1)).toBe('worse (judge)');
  expect(corrected).toEqual([
    'by people',
    '100',
    '+8.1',
    '+2.0 to +14.0',
    '< 0.0001',
    '< 0.0001',
    'better',
  ]);
});

test.each([
  [{ baseline: 5, candidate: 5 }, '20 × 5'],
  [{ baseline: 1, candidate: 4.75 }, '20 × 1 / 4.8'],
  [{ baseline: null, candidate: null }, '20'],
  [{ baseline: 1, candidate: 1 }, '20'],
])('the records of a testcase are told where they are several: %j', (recordsPerTestcase, cell) => {
  expect(wide({ paired: 20, recordsPerTestcase })[1]![1]).toBe(cell);
});

test('the sides of a small difference are told so that they differ', () => {
  const [, row] = wide({
    outputType: 'float',
    baselineMean: 0.508,
    candidateMean: 0.50804,
    difference: 0.00004,
    confidenceInterval: { low: 0, high: 0.206, level: 0.95 },
    verdict: 'better',
  });
  expect(row!.slice(2, 6)).toEqual(['0.508000', '0.508040', '+0.000040', '0.000 to +0.206']);
});

test('what is compared beside the metrics is the last row, in Markdown too', () => {
  const errors = { ...metricOf(), name: 'errors', verdict: 'undecided' } as ComparedMetric;
  const lines = comparisonTable({ metrics: [metricOf()], errors }, { shown });
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/^errors .* undecided$/);
  expect(comparisonMarkdown({ metrics: [metricOf()], errors })).toEqual([
    '| Metric | Testcases | Baseline | Candidate | Difference | Interval | Adjusted p | Verdict |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
    expect.stringMatching(/^\| Correct answer \| .* \| worse \|$/),
    expect.stringMatching(/^\| errors \| .* \| undecided \|$/),
  ]);
});
