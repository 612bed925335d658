import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barOf, marksOf, scaleOf } from '../src/pages/trace/timeline.ts';
import { formatDuration } from '../src/text/format.ts';

const at = (ms: number, durationMs: number) => ({
  startedAt: new Date(Date.UTC(2026, 2, 1) + ms).toISOString(),
  durationMs,
});

test('a timeline reaches from the first start to the last end, whatever the order', () => {
  const scale = scaleOf([at(100, 300), at(0, 50), at(350, 10)]);
  expect(scale).toEqual({ start: Date.UTC(2026, 2, 1), length: 400 });
  expect(barOf(at(100, 300), scale)).toEqual({ from: 0.25, width: 0.75 });
  expect(scaleOf([])).toEqual({ start: 0, length: 1 });
});

test('every bar of a trace is within its timeline', () => {
  const span = fc
    .record({
      ms: fc.integer({ min: 0, max: 1e9 }),
      durationMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
    })
    .map(({ ms, durationMs }) => at(ms, durationMs));
  fc.assert(
    fc.property(fc.array(span, { minLength: 1 }), (spans) => {
      const scale = scaleOf(spans);
      for (const one of spans) {
        const { from, width } = barOf(one, scale);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(width).toBeGreaterThanOrEqual(0);
        expect(from + width).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
  );
});

test('marks are round times, at most five, and none is after the end', () => {
  expect(marksOf({ length: 840 })).toEqual([200, 400, 600, 800]);
  expect(marksOf({ length: 1000 })).toEqual([200, 400, 600, 800, 1000]);
  expect(marksOf({ length: 1 })).toHaveLength(5);
  fc.assert(
    fc.property(fc.double({ min: 1, max: 1e10, noNaN: true }), (length) => {
      const marks = marksOf({ length });
      expect(marks.length).toBeGreaterThanOrEqual(2);
      expect(marks.length).toBeLessThanOrEqual(5);
      expect(marks.at(-1)).toBeLessThanOrEqual(length * (1 + 1e-9));
    }),
  );
});

test('durations are told in the unit that a person would choose', () => {
  expect([0, 0.42, 12.4, 840.25, 1234, 59_949, 59_999, 125_000].map(formatDuration)).toEqual([
    '0 ms',
    '0.4 ms',
    '12 ms',
    '840 ms',
    '1.2 s',
    '59.9 s',
    '1 min 0 s',
    '2 min 5 s',
  ]);
});
