import { expect, test } from 'vitest';
import { spendByDay } from '../src/pages/overview/spend-by-day.ts';
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

test('the spend of a day is that of the runs that were made on it', () => {
  const point = (createdAt: string, costUsd: number, sum?: number) => ({
    run: { createdAt, costUsd },
    results: { metrics: sum === undefined ? [] : [{ metricId: 'cost', sum }] },
  });
  const points = [
    point('2026-03-09T23:59:59.000Z', 0.5),
    point('2026-03-10T00:00:00.000Z', 1, 0.25),
    point('2026-03-10T12:00:00.000Z', 2, 0.5),
  ];
  expect(spendByDay({ points } as never)).toEqual([
    { day: '2026-03-09', judges: 0.5, systems: 0 },
    { day: '2026-03-10', judges: 3, systems: 0.75 },
  ]);
});
