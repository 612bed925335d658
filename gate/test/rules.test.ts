import type { MetricComparison } from '@assay/client/comparison';
import { describe, expect, test } from 'vitest';
import { judge, type Limits, overall } from '../src/rules.ts';
import { metricOf, worseMetric } from './comparison.ts';

interface Situation {
  metric?: Partial<MetricComparison>;
  rate?: number | null;
  limits?: Limits;
}

const judged = ({ metric, rate = 0.79, limits = {} }: Situation) =>
  judge({ metric: metricOf(metric), candidatePassRate: rate, limits });

const better = {
  verdict: 'better',
  difference: 0.1,
  confidenceInterval: { low: 0.05, high: 0.15, level: 0.95 },
} as const;
const onePair = {
  paired: 1,
  pValue: null,
  adjustedPValue: null,
  confidenceInterval: null,
} as const;

describe('a metric', () => {
  test.each<[string, 'passed' | 'worse' | 'unknown', Situation]>([
    ['that is better passes', 'passed', { metric: better }],
    ['that is undecided passes', 'passed', {}],
    ['that is worse is worse', 'worse', { metric: worseMetric() }],
    [
      'that is worse by less than --max-regression is worse all the same',
      'worse',
      { metric: worseMetric(), limits: { maxRegression: 0.5 } },
    ],
    [
      'with a pass rate of just --min-pass-rate passes',
      'passed',
      { rate: 9 / 10, limits: { minPassRate: 0.9 } },
    ],
    ['with a lower pass rate is worse', 'worse', { rate: 0.8999, limits: { minPassRate: 0.9 } }],
    [
      'that is better with a pass rate that is too low is worse',
      'worse',
      { metric: better, rate: 0.5, limits: { minPassRate: 0.9 } },
    ],
    [
      'without a pass rate to hold against --min-pass-rate is unknown',
      'unknown',
      { rate: null, limits: { minPassRate: 0.9 } },
    ],
    ['without a pass rate passes where none is asked for', 'passed', { rate: null }],
    [
      'that is lower by just --max-regression passes',
      'passed',
      { metric: { difference: 0.7 - 0.8 }, limits: { maxRegression: 0.1 } },
    ],
    [
      'that is lower by more is worse',
      'worse',
      { metric: { difference: -0.1001 }, limits: { maxRegression: 0.1 } },
    ],
    [
      'that is lower at all is worse with --max-regression 0',
      'worse',
      { metric: { difference: -0.001 }, limits: { maxRegression: 0 } },
    ],
    [
      'that is equal passes with --max-regression 0',
      'passed',
      { metric: { difference: 0 }, limits: { maxRegression: 0 } },
    ],
    [
      'whose interval alone reaches past --max-regression passes',
      'passed',
      { limits: { maxRegression: 0.02 } },
    ],
    ['with one pair is unknown', 'unknown', { metric: onePair }],
    ['with no pair is unknown', 'unknown', { metric: { ...onePair, paired: 0, difference: null } }],
    [
      'whose pairs are all of one group is unknown',
      'unknown',
      { metric: { numGroups: 1, pValue: null, adjustedPValue: null } },
    ],
    [
      'with one pair and a pass rate that is too low is worse',
      'worse',
      { metric: onePair, rate: 0.1, limits: { minPassRate: 0.9 } },
    ],
  ])('%s', (_name, outcome, situation) => {
    const finding = judged(situation);
    expect(finding.outcome).toBe(outcome);
    expect(finding.reasons.length > 0).toBe(outcome !== 'passed');
  });

  test('says why it is worse, with its figures', () => {
    expect(judged({ metric: worseMetric() }).reasons).toEqual([
      'the candidate is worse, 70.0 % against 80.0 % (difference −10.0, adjusted p 0.0020).',
    ]);
    expect(judged({ rate: 0.8999, limits: { minPassRate: 0.9 } }).reasons).toEqual([
      "the candidate's pass rate, 0.8999, is below the 0.9 of --min-pass-rate.",
    ]);
  });

  test('says that a larger regression cannot be excluded, and what the comparison warns of', () => {
    const { remarks } = judged({
      metric: {
        warnings: [{ code: 'metric_versions_differ', message: 'Two versions.', details: {} }],
      },
      limits: { maxRegression: 0.02 },
    });
    expect(remarks).toEqual([
      'a regression of more than 0.02 cannot be excluded: the interval reaches down to -0.05.',
      'Two versions.',
    ]);
    expect(judged({ limits: { maxRegression: 0.05 } }).remarks).toEqual([]);
  });
});

test.each([
  [['passed', 'passed'], 'passed'],
  [['passed', 'unknown'], 'unknown'],
  [['unknown', 'worse'], 'worse'],
  [['passed', 'worse'], 'worse'],
  [[], 'unknown'],
] as const)('metrics that are %j are %s together', (outcomes, outcome) =>
  expect(overall([...outcomes])).toBe(outcome),
);
