import { expect, test } from 'vitest';
import {
  change,
  comparisonTable,
  figure,
  type MetricComparison,
  probability,
} from '../comparison.ts';

const id = '00000000-0000-7000-8000-000000000000';
const metric: MetricComparison = {
  metricId: id,
  name: 'Correct answer',
  evalType: 'heuristic',
  outputType: 'boolean',
  errored: { baseline: 0, candidate: 0 },
  baselineMetricVersionId: id,
  candidateMetricVersionId: id,
  paired: 1319,
  unpaired: 0,
  recordsPerTestcase: { baseline: 1, candidate: 1 },
  groups: {
    regressed: 0,
    improved: 0,
    changed: 0,
    bothPass: 0,
    bothFail: 0,
    unpairedBaseline: 0,
    unpairedCandidate: 0,
  },
  baselineMean: 286 / 1319,
  candidateMean: 515 / 1319,
  difference: 229 / 1319,
  confidenceInterval: { low: 0.147, high: 0.2, level: 0.9 },
  method: 'Newcombe paired score, method 10',
  pValue: 3.93e-36,
  adjustedPValue: 7.86e-36,
  test: 'mid-p McNemar',
  minimumDetectableDifference: 0.038,
  verdict: 'better',
  anytimePValue: 1e-30,
  anytimeAdjustedPValue: 2e-30,
  anytimeInterval: { low: 0.13, high: 0.22, level: 0.9 },
  anytimeMethod: 'Beta(6, 6) mixture of bets',
  anytimeVerdict: 'better',
  improved: 293,
  regressed: 64,
  unchanged: 962,
};

test("a judge that people's scores correct has a second row with the verdict that counts", () => {
  const calibrated = {
    difference: 0.01,
    confidenceInterval: { low: -0.03, high: 0.05, level: 0.9 },
    pValue: 0.6,
    adjustedPValue: 0.7,
    verdict: 'undecided',
    labels: 100,
    labelsWorth: 170,
    judgeBias: { difference: 0.16, confidenceInterval: { low: 0.1, high: 0.2, level: 0.9 } },
  } as const;
  const [, own, corrected] = comparisonTable({ metrics: [{ ...metric, calibrated }], level: 0.9 });
  expect(own).toMatch(/better, by the judge alone$/);
  expect(corrected!.trim().split(/ {2,}/)).toEqual([
    'corrected by people',
    '100',
    '+1.0',
    '−3.0 to +5.0',
    '0.6000',
    '0.7000',
    'undecided',
  ]);
});

test('a comparison is a row a metric, with its level, p-values and verdict', () => {
  const [head, row] = comparisonTable({ metrics: [metric], level: 0.9 });
  expect(head).toContain('  90 % INTERVAL  ');
  expect(row!.split(/ {2,}/)).toEqual([
    'Correct answer',
    '1,319 × 1',
    '21.7 %',
    '39.0 %',
    '+17.4',
    '+14.7 to +20.0',
    '3.9e-36',
    '7.9e-36',
    '293',
    '64',
    'better',
  ]);
});

test('a name steers no terminal, and takes no more than its share of a line', () => {
  const [, row] = comparisonTable({
    metrics: [{ ...metric, name: `\u001b[2J\u202e\n${'x'.repeat(300)}` }],
    level: 0.95,
  });
  expect(row).toMatch(/^\ufffd\[2J\ufffd\ufffdx+… /);
  expect(row!.length).toBeLessThan(165);
});

test.each([
  [{ baseline: 5, candidate: 5 }, '20 × 5'],
  [{ baseline: 1, candidate: 4.75 }, '20 × 1 / 4.8'],
  [{ baseline: null, candidate: null }, '20'],
])('the records of a testcase are told: %j', (recordsPerTestcase, expected) => {
  const [, row] = comparisonTable({
    metrics: [{ ...metric, paired: 20, recordsPerTestcase }],
    level: 0.95,
  });
  expect(row!.split(/ {2,}/)[1]).toBe(expected);
});

test('what could not be computed is a dash', () => {
  const missing = {
    baselineMean: null,
    candidateMean: null,
    difference: null,
    confidenceInterval: null,
    pValue: null,
    adjustedPValue: null,
  };
  const [, row] = comparisonTable({ metrics: [{ ...metric, ...missing }], level: 0.95 });
  expect(row!.split(/ {2,}/).slice(2, 8)).toEqual(Array(6).fill('–'));
});

test.each([
  [change('boolean', -0.0432), '−4.3'],
  [change('boolean', -0.0001), '0.0'],
  [change('int', 0.25), '+0.250'],
  [figure('float', 0.5), '0.500'],
  [figure('boolean', 0.5), '50.0 %'],
  [probability(0.00315), '0.0032'],
  [probability(0.00002), '2.0e-5'],
])('%s is %s', (shown, expected) => expect(shown).toBe(expected));
