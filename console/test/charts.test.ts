import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ChartPoint,
  linesOf,
  nearestTo,
  timesShown,
  valuesShown,
} from '../src/parts/chart/scales.ts';

const point = (at: number, change: Partial<ChartPoint> = {}): ChartPoint => ({
  id: String(at),
  at,
  value: 0.5,
  text: '',
  ...change,
});

const share = { low: 0, high: 1 };

test('the values shown hold every point with its interval, and never leave the scale', () => {
  const values = fc.array(
    fc.record({
      value: fc.double({ min: 0, max: 1, noNaN: true }),
      reach: fc.double({ min: 0, max: 0.2, noNaN: true }),
    }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(values, (drawn) => {
      const points = drawn.map(({ value, reach }, at) =>
        point(at, {
          value,
          interval: { low: Math.max(0, value - reach), high: Math.min(1, value + reach) },
        }),
      );
      const [low, high] = valuesShown(points, share);
      expect(low).toBeLessThan(high);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      for (const { interval } of points) {
        expect(low).toBeLessThanOrEqual(interval!.low);
        expect(high).toBeGreaterThanOrEqual(interval!.high);
      }
    }),
  );
});

test('one point has room on all sides, and no points have a scale', () => {
  const [low, high] = valuesShown([point(0, { value: 40 })], { low: 0, high: Infinity });
  expect(low).toBeLessThan(40);
  expect(high).toBeGreaterThan(40);
  const [from, to] = timesShown([point(1000)], {});
  expect(from).toBeLessThan(1000);
  expect(to).toBeGreaterThan(1000);
  expect(valuesShown([], share)).toEqual([0, 1]);
});

test('a chosen span of time is shown as it was chosen', () => {
  expect(timesShown([point(5), point(9)], { from: 2, to: 12 })).toEqual([2, 12]);
});

test('the point that is nearest in time is found; the later of two that are as near', () => {
  const points = [point(10), point(20), point(40)];
  expect(nearestTo([], 5)).toBe(-1);
  expect(nearestTo(points, -100)).toBe(0);
  expect(nearestTo(points, 15)).toBe(1);
  expect(nearestTo(points, 29)).toBe(1);
  expect(nearestTo(points, 1000)).toBe(2);
});

test('a line leaves out the runs beside it, and begins anew where the metric changed', () => {
  const points = [
    point(1),
    point(2, { isHollow: true }),
    point(3),
    point(4, { change: 'The metric changed here.' }),
    point(5),
  ];
  expect(linesOf(points).map((line) => line.map(({ at }) => at))).toEqual([
    [1, 3],
    [4, 5],
  ]);
});
