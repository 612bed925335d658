import { hexOf, type SpanInTrace } from './cut-by-trace.ts';

/**
 * Orders spans by their start. Clocks of browsers and of Node have milliseconds, so that spans often begin together:
 * then a parent stands before the spans below it, and the one that ended first before those that may have used it.
 */
export function inOrder(spans: readonly SpanInTrace[]): SpanInTrace[] {
  const sorted = spans.toSorted(byTime);
  const ordered: SpanInTrace[] = [];
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (sorted[to]?.span.start === sorted[from]!.span.start) to += 1;
    if (to - from === 1) ordered.push(sorted[from]!);
    else ordered.push(...parentsFirst(sorted.slice(from, to)));
    from = to;
  }
  return ordered;
}

function byTime({ span: one }: SpanInTrace, { span: other }: SpanInTrace): number {
  if (one.start !== other.start) return one.start < other.start ? -1 : 1;
  if (one.end !== other.end) return one.end < other.end ? -1 : 1;
  return Buffer.compare(one.spanId, other.spanId);
}

/** Puts each span behind its parent, where that begins with it; a ring of parents stays as it is. */
function parentsFirst(spans: SpanInTrace[]): SpanInTrace[] {
  const byId = new Map(spans.map((received) => [hexOf(received.span.spanId), received]));
  const seen = new Set<SpanInTrace>();
  const ordered: SpanInTrace[] = [];
  for (const received of spans) {
    const above: SpanInTrace[] = [];
    let at: SpanInTrace | undefined = received;
    while (at && !seen.has(at)) {
      seen.add(at);
      above.push(at);
      at = byId.get(hexOf(at.span.parentSpanId));
    }
    ordered.push(...above.reverse());
  }
  return ordered;
}
