import type { SpanInTrace } from './cut-by-trace.ts';

/** Orders spans by their start; those that start together by their ids. */
export function byStart({ span: one }: SpanInTrace, { span: other }: SpanInTrace): number {
  if (one.start === other.start) return Buffer.compare(one.spanId, other.spanId);
  return one.start < other.start ? -1 : 1;
}
