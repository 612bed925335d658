import { expect, test } from 'vitest';
import { UsageFailure } from '../src/failure.ts';
import type { RunMetric } from '../src/lookup.ts';
import { queryOf, readCondition } from '../src/where.ts';

test.each([
  ['Helpful:fail', 'Helpful', 'outcome', 'fail'],
  ['Tone: kind:pass', 'Tone: kind', 'outcome', 'pass'],
  ['Same = false', 'Same', 'value', 'false'],
  ['Length>=0.5', 'Length', 'min', '0.5'],
  ['Same:errored', 'Same', 'outcome', 'errored'],
  ['Same:invalid', 'Same', 'outcome', 'invalid'],
  ['Grade<=3', 'Grade', 'max', '3'],
])('the condition %s is read', (text, metric, parameter, value) => {
  expect(readCondition(text)).toEqual({ metric, parameter, value });
});

test.each(['Helpful', ':fail', 'Helpful:bad', 'Helpful:toString', 'Grade>=high', 'Grade='])(
  'what is no condition is refused with the forms there are: %s',
  (text) => {
    expect(() => readCondition(text)).toThrow(UsageFailure);
    expect(() => readCondition(text)).toThrow("'Metric:fail'");
  },
);

const metricOf = (metricId: string, metricVersionId: string, name: string) =>
  ({ metricId, metricVersionId, name }) as RunMetric;

test('of a metric that was scored anew, the newest version is meant', () => {
  const metrics = [metricOf('m', 'v1', 'Helpful'), metricOf('m', 'v2', 'Helpful')];
  expect(queryOf(readCondition('Helpful:fail'), metrics)).toEqual({
    metricVersionId: 'v2',
    outcome: 'fail',
  });
});

test('of two metrics of one name, both are listed', () => {
  const metrics = [metricOf('m', 'v1', 'Helpful'), metricOf('n', 'v2', 'Helpful')];
  expect(() => queryOf(readCondition('Helpful:fail'), metrics)).toThrow(
    '2 metrics are called "Helpful": give an id, m or n.',
  );
});
