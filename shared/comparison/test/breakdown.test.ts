import { expect, test } from 'vitest';
import { breakdownMarkdown, breakdownNote, breakdownTable, breakdownValue } from '../breakdown.ts';
import { metricOf } from './comparison.ts';

const metric = metricOf();
const cell = {
  metricId: metric.metricId,
  paired: 8,
  baselineMean: 0,
  candidateMean: 1,
  difference: 1,
  confidenceInterval: { low: 0.4, high: 1, level: 0.95 },
  pValue: 0.004,
  adjustedPValue: 0.008,
  verdict: 'better' as const,
  improved: 8,
  regressed: 0,
};
const breakdown = {
  by: '/inputs/topic',
  rows: [
    { value: '"a|b"', testcases: 8, metrics: [cell] },
    {
      value: null,
      testcases: 1,
      metrics: [{ ...cell, adjustedPValue: null, confidenceInterval: null }],
    },
  ],
  other: { values: 3, testcases: 3 },
};

test('a breakdown is a row for each metric of each value', () => {
  const [head, first, second] = breakdownTable(
    { metrics: [metric], breakdown },
    { shown: (text) => text },
  ).map((line) => line.trim().split(/ {2,}/));
  expect(head![0]).toBe('VALUE');
  expect(first).toEqual([
    ...['a|b', 'Correct answer', '8', '0.0 %', '100.0 %', '+100.0', '+40.0 to +100.0'],
    ...['0.0080', 'better'],
  ]);
  expect(second![0]).toBe('(none)');
  expect(breakdownMarkdown({ metrics: [metric], breakdown })[2]).toMatch(/^\| a&#124;b \|/);
});

test('its note says for how many tests it is corrected, and how many values are not shown', () => {
  expect(breakdownNote(breakdown)).toMatch(
    /^Broken down by \/inputs\/topic\. .* the 1 test in it.* Further values that are not shown: 3\.$/,
  );
});

test('a text that looks like another value keeps its quotes', () => {
  expect(
    ['"easy"', '"1"', '1', '"true"', 'true', '"null"', null, '""', '"(none)"'].map(breakdownValue),
  ).toEqual(['easy', '"1"', '1', '"true"', 'true', '"null"', '(none)', '""', '"(none)"']);
});
