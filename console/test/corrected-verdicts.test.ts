import { expect, test } from 'vitest';
import { correctedVerdicts } from '../src/pages/compare/corrected-verdicts.ts';

type ComparedRuns = Parameters<typeof correctedVerdicts>[0][number];
type Metric = ComparedRuns['errors'];

const metricOf = (pValue: number | null, verdict: Metric['verdict'] = 'better') =>
  ({ pValue, verdict }) as Metric;
const comparisonOf = (metric: Metric): ComparedRuns => ({
  metrics: [metric] as ComparedRuns['metrics'],
  errors: metricOf(null, 'undecided'),
});

test('of many runs, one that looks better by luck is undecided', () => {
  const [lucky, other, another] = [metricOf(0.02), metricOf(0.4), metricOf(0.6)];
  const alone = correctedVerdicts([comparisonOf(lucky)], 0.95);
  expect(alone(lucky)).toBe('better');
  const among = correctedVerdicts([lucky, other, another].map(comparisonOf), 0.95);
  expect(among(lucky)).toBe('undecided');
});

test('a verdict that holds for all of the runs stays, and one that a comparison withheld is not made', () => {
  const [worse, held] = [metricOf(0.001, 'worse'), metricOf(0.001, 'undecided')];
  const verdictOf = correctedVerdicts([worse, held].map(comparisonOf), 0.95);
  expect([worse, held].map(verdictOf)).toEqual(['worse', 'undecided']);
});
