import type { Span } from './span.ts';

const nanosecondsPerMs = 1_000_000n;
/** A clock that is a year off is set wrong. */
const yearMs = 366 * 24 * 60 * 60 * 1000;

/** Returns why a span cannot be kept; undefined where it can. `now` is in ms since 1970. */
export function refusalOf(span: Span, now: number): string | undefined {
  const { traceId, spanId, start, end } = span;
  if (!isId(traceId, 16)) return 'a trace id must have 16 bytes that are not all zero';
  if (!isId(spanId, 8)) return 'a span id must have 8 bytes that are not all zero';
  if (end < start) return 'a span must not end before it starts';
  const startMs = Number(start / nanosecondsPerMs);
  if (Math.abs(startMs - now) > yearMs)
    return 'a span must start within a year of now; times are in nanoseconds since 1970';
  return undefined;
}

const isId = (id: Uint8Array, length: number): boolean =>
  id.length === length && id.some((byte) => byte !== 0);
