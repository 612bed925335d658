import { describe, expect, test } from 'vitest';
import type { MetricComparison } from '../figures.ts';
import type { Limits, Voice } from '../gate/limits.ts';
import { judge } from '../gate/rules.ts';
import { metricOf, worseMetric } from './comparison.ts';

const voice: Voice = {
  candidate: 'the candidate',
  options: {
    minPassRate: '--min-pass-rate',
    minPasses: '--min-passes',
    maxRegression: '--max-regression',
    maxErrors: '--max-errors',
    allowMissing: '--allow-missing',
  },
};

interface Situation {
  metric?: Partial<MetricComparison>;
  rate?: number | null;
  limits?: Limits;
}

const judged = ({ metric, rate = 0.79, limits = {} }: Situation) =>
  judge({
    metric: metricOf(metric),
    passBounds: rate === null ? null : { testcases: 200, low: rate, high: rate, known: rate },
    limits,
    isHeld: true,
    voice,
  });

const better = {
  verdict: 'better',
  difference: 0.1,
  confidenceInterval: { low: 0.05, high: 0.15, level: 0.95 },
} as const;
describe('a metric', () => {
  test.each<[string, 'passed' | 'worse', Situation]>([
    [
      'that is better with a pass rate that is too low is worse',
      'worse',
      { metric: better, rate: 0.5, limits: { minPassRate: 0.9 } },
    ],
    ['without a pass rate passes where none is asked for', 'passed', { rate: null }],
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
  ])('%s', (_name, outcome, situation) => {
    const finding = judged(situation);
    expect(finding.outcome).toBe(outcome);
    expect(finding.reasons.length > 0).toBe(outcome !== 'passed');
  });

  test('says why it is worse, with its figures', () => {
    expect(judged({ metric: worseMetric() }).reasons).toEqual([
      'Worse: the candidate is 10.0 points lower (95 % interval 15.0 to 5.0 lower; adjusted p 0.0020; 200 pairs).',
    ]);
    expect(judged({ rate: 0.8999, limits: { minPassRate: 0.9 } }).reasons).toEqual([
      "the candidate's pass rate, 89.99 %, is below the 90 % of --min-pass-rate.",
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

const calibrated = {
  difference: -0.01,
  confidenceInterval: { low: -0.06, high: 0.04, level: 0.95 },
  pValue: 0.7,
  adjustedPValue: 0.7,
  verdict: 'undecided',
  labels: 100,
  labelsWorth: 170,
  judgeBias: { difference: -0.09, confidenceInterval: { low: -0.14, high: -0.04, level: 0.95 } },
} as const;
const unlabelled = {
  ...calibrated,
  difference: null,
  confidenceInterval: null,
  pValue: null,
  adjustedPValue: null,
  labels: 12,
  labelsWorth: null,
  judgeBias: { difference: null, confidenceInterval: null },
  reason: 'People scored 12 testcases in both runs, and 30 are needed.',
} as const;

describe('a metric that a model judges', () => {
  test("passes where people's scores do not confirm that it is worse, and says what the judge alone says", () => {
    const { outcome, remarks } = judged({ metric: worseMetric({ calibrated }) });
    expect(outcome).toBe('passed');
    expect(remarks).toEqual([
      "the verdict is corrected by people's scores of 100 testcases. The judge alone says worse, and is too kind to the baseline by 9.0 (−14.0 to −4.0).",
    ]);
  });

  test("is worse where people's scores say so, whatever the judge says", () => {
    const worse = {
      ...calibrated,
      difference: -0.1,
      adjustedPValue: 0.001,
      verdict: 'worse',
    } as const;
    expect(judged({ metric: { ...better, calibrated: worse } })).toMatchObject({
      outcome: 'worse',
      reasons: [
        "Worse: the candidate is 10.0 points lower (95 % interval −6.0 to +4.0; adjusted p 0.0010; 200 pairs), going by people's scores of 100 testcases.",
      ],
    });
  });

  test('holds the corrected difference against --max-regression', () => {
    expect(
      judged({ metric: { ...better, calibrated }, limits: { maxRegression: 0.005 } }),
    ).toMatchObject({
      outcome: 'worse',
      reasons: ['the candidate is 0.01 lower, and --max-regression allows 0.005.'],
    });
  });

  test('is judged by the judge alone where people scored too little, with the reason', () => {
    expect(judged({ metric: worseMetric({ calibrated: unlabelled }) })).toMatchObject({
      outcome: 'worse',
      reasons: [
        expect.stringContaining('By the judge alone. Worse: the candidate is 10.0 points lower'),
      ],
      remarks: ['People scored 12 testcases in both runs, and 30 are needed.'],
    });
  });
});

describe('a metric of which less is better', () => {
  const slower = {
    metricId: 'latency',
    outputType: 'float',
    lowerIsBetter: true,
    baselineMean: 800,
    candidateMean: 840,
    difference: 40,
    confidenceInterval: { low: -5, high: 85, level: 0.95 },
  } as const;

  test('is worse where the candidate takes more than --max-regression allows, and needs no pass rate', () => {
    const limits = { maxRegression: 30, minPassRate: 0.9 };
    const { outcome, reasons } = judged({ metric: slower, rate: null, limits });
    expect([outcome, reasons]).toEqual([
      'worse',
      ['the candidate is 40 higher, and --max-regression allows 30.'],
    ]);
  });

  test('passes where it takes less, and within the limit says how far its interval reaches', () => {
    const faster = { ...slower, candidateMean: 700, difference: -100, verdict: 'better' } as const;
    expect(judged({ metric: faster, limits: { maxRegression: 30 } }).outcome).toBe('passed');
    const { outcome, remarks } = judged({ metric: slower, limits: { maxRegression: 50 } });
    expect([outcome, remarks]).toEqual([
      'passed',
      ['a regression of more than 50 cannot be excluded: the interval reaches up to 85.'],
    ]);
  });

  test('that is worse is told in its own unit', () => {
    const metric = { ...slower, verdict: 'worse', adjustedPValue: 0.01 } as const;
    expect(judged({ metric }).reasons).toEqual([
      'Worse: the candidate is 40 higher, which is worse (95 % interval −5 to +85; adjusted p 0.010; 200 pairs).',
    ]);
  });
});
