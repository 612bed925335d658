import { expect, test } from 'vitest';
import { chartPoints, metricsOf, type Trends } from '../src/parts/trend/trend-points.ts';
import { timeOf } from '../src/parts/trend/trend-search.ts';

interface Drawn {
  id: string;
  version?: string;
  mean?: number | null;
  errors?: number;
  numTestcases?: number;
}

const metricId = '0-metric';

const trendsOf = (runs: Drawn[]): Trends =>
  ({
    isCut: false,
    points: runs.map(({ id, version = 'v1', mean = 0.5, errors = 0, numTestcases }, place) => ({
      run: {
        id,
        name: id,
        createdAt: new Date(1_700_000_000_000 + place * 1000).toISOString(),
        ...(numTestcases === undefined ? {} : { numTestcases }),
      },
      results: {
        metrics: [
          { metricId: 'latency', metricVersionId: 'latency', outputType: 'float', mean: 5 },
          {
            metricId,
            metricVersionId: version,
            outputType: 'boolean',
            mean,
            confidenceInterval: null,
          },
        ].map((metric) => ({ name: metric.metricId, confidenceInterval: null, ...metric })),
        errors: { mean: errors },
      },
    })),
  }) as never;

test('runs over a part of their testset, and with more than one error in ten, stand beside the line', () => {
  const points = chartPoints(
    trendsOf([
      { id: 'whole' },
      { id: 'part', numTestcases: 3 },
      { id: 'few errors', errors: 0.1 },
      { id: 'errors', errors: 0.2 },
    ]),
    metricId,
  );
  expect(points.map(({ isHollow }) => isHollow)).toEqual([false, true, false, true]);
  expect(points[1]!.text).toMatch(/A part of its testset\.$/);
  expect(points[3]!.text).toMatch(/of its records are errors\.$/);
});

test('a new version of the metric is marked at the first run that has it', () => {
  const points = chartPoints(
    trendsOf([{ id: 'a' }, { id: 'b', version: 'v2' }, { id: 'c', version: 'v2' }]),
    metricId,
  );
  expect(points.map(({ change }) => change !== undefined)).toEqual([false, true, false]);
});

test('a run without a score is no point, and the metrics of records come last', () => {
  const trends = trendsOf([{ id: 'a', mean: null }, { id: 'b' }]);
  expect(chartPoints(trends, metricId).map(({ id }) => id)).toEqual(['b']);
  expect(metricsOf(trends).map((metric) => metric.metricId)).toEqual([metricId, 'latency']);
});

test('the last days begin with a whole day, and a span that was dragged counts before them', () => {
  const now = Date.parse('2026-03-10T15:00:00.000Z');
  expect(timeOf({ days: '7' }, now)).toEqual({ from: Date.parse('2026-03-03T00:00:00.000Z') });
  expect(timeOf({ days: 'all' }, now)).toEqual({});
  const [from, to] = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'];
  expect(timeOf({ days: '7', from, to }, now)).toEqual({
    from: Date.parse(from),
    to: Date.parse(to),
  });
  expect(timeOf({ days: 'all', from: to, to: from }, now)).toEqual({});
});
