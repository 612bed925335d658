import type { ListedSpan } from './span-tree.ts';

type TimedSpan = Pick<ListedSpan, 'startedAt' | 'durationMs'>;

/** The time that a timeline shows. */
export interface TimeScale {
  /** Of its first span, in milliseconds since 1970. */
  start: number;
  /** In milliseconds, more than 0. */
  length: number;
}

/** The time from the start of the first span to the end of the last one. */
export function scaleOf(spans: readonly TimedSpan[]): TimeScale {
  let start = Number.POSITIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  for (const { startedAt, durationMs } of spans) {
    const at = Date.parse(startedAt);
    start = Math.min(start, at);
    end = Math.max(end, at + durationMs);
  }
  return spans.length === 0 ? { start: 0, length: 1 } : { start, length: Math.max(end - start, 1) };
}

/** Where a span's bar begins and how long it is, each as a share of the timeline. */
export function barOf({ startedAt, durationMs }: TimedSpan, { start, length }: TimeScale) {
  const from = Math.min(1, Math.max(0, (Date.parse(startedAt) - start) / length));
  return { from, width: Math.min(1 - from, durationMs / length) };
}

/** At most so many marks after the start. */
const marksMax = 5;

/** Round times after the start, in milliseconds, for the marks of a timeline. */
export function marksOf({ length }: Pick<TimeScale, 'length'>): number[] {
  const least = length / marksMax;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= least * (1 - 1e-9))!;
  const count = Math.floor(length / step + 1e-9);
  return Array.from({ length: count }, (_, index) => (index + 1) * step);
}
