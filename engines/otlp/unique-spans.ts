import { hexOf } from './cut-by-trace.ts';
import type { ReceivedSpan } from './span.ts';

/**
 * Leaves each span of a trace once; exporters repeat those that nobody answered. Of spans of one id
 * that differ, the longest stays, so that the order in which they came does not matter.
 */
export function uniqueSpans<Received extends ReceivedSpan>(spans: Iterable<Received>): Received[] {
  const chosen = new Map<string, Received>();
  for (const received of spans) {
    const id = hexOf(received.span.spanId);
    const known = chosen.get(id);
    if (known === undefined || isPreferred(received.bytes, known.bytes)) chosen.set(id, received);
  }
  return [...chosen.values()];
}

const isPreferred = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length ? Buffer.compare(one, other) > 0 : one.length > other.length;
