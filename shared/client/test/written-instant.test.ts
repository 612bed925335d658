import { expect, test } from 'vitest';
import { endOf, instantOf } from '../written-instant.ts';

const now = Date.parse('2026-03-02T12:00:00.000Z');

test('a written time is an instant of the own time zone, or so long ago', () => {
  expect(instantOf('24h', now)).toBe('2026-03-01T12:00:00.000Z');
  expect(instantOf('30min', now)).toBe('2026-03-02T11:30:00.000Z');
  expect(instantOf('2026-03-01T09:30:00Z')).toBe('2026-03-01T09:30:00.000Z');
  expect(instantOf('2026-03-01')).toBe(new Date(2026, 2, 1).toISOString());
  expect(instantOf('2026-03-01 09:30')).toBe(new Date(2026, 2, 1, 9, 30).toISOString());
  for (const none of ['', '2026-13-01', '24', 'h', '1e3h', 'Sunday'])
    expect([none, instantOf(none, now)]).toEqual([none, undefined]);
});

test('the end of a date is that of its day, and of a time the time itself', () => {
  expect(endOf('2026-03-28')).toBe(new Date(2026, 2, 29).toISOString());
  expect(endOf('2026-12-31')).toBe(new Date(2027, 0, 1).toISOString());
  expect(endOf('2026-03-01T09:30:00Z')).toBe('2026-03-01T09:30:00.000Z');
  expect(endOf('24h', now)).toBe('2026-03-01T12:00:00.000Z');
  expect(endOf('yesterday')).toBeUndefined();
});
