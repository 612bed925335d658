import { hexOf, type SpanInTrace } from '@assay/otlp/cut-by-trace';
import { inOrder } from '@assay/otlp/in-order';
import { isLogRecord, isRoot } from '@assay/otlp/log-record';
import type { SpanOperation } from './family.ts';
import { type ReadSpan, readSpan } from './read-span.ts';

/** A span as it came and as it was read. */
export interface ReadPair {
  received: SpanInTrace;
  read: ReadSpan;
}

/** Operations below the work that a trace is about. */
const steps = new Set<SpanOperation | null>([
  'chat',
  'tool',
  'retrieval',
  'embedding',
  'evaluation',
]);

/** Reads spans, which come once each, in the order in which they began. */
export const readPairs = (spans: readonly SpanInTrace[]): ReadPair[] =>
  inOrder(spans).map((received) => ({ received, read: readSpan(received) }));

/**
 * Finds the pair that stands for the whole trace: the root; where that was sent elsewhere, as by a browser that called
 * the system, the first whose parent is not there. A step of the work is that only where nothing else has lost its
 * parent: of several calls of a model none is the whole.
 */
export function topPairOf(pairs: readonly ReadPair[]): ReadPair | undefined {
  const root = pairs.find(({ received }) => isRoot(received.span));
  if (root) return root;
  const ids = new Set(pairs.map(({ received }) => hexOf(received.span.spanId)));
  const orphans = pairs.filter(
    ({ received: { span } }) => !isLogRecord(span) && !ids.has(hexOf(span.parentSpanId)),
  );
  const [first] = orphans;
  const isWhole = first && (orphans.length === 1 || !steps.has(first.read.operation));
  return isWhole ? first : undefined;
}
