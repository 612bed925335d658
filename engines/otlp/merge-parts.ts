import { cutByTrace, type TracePart } from './cut-by-trace.ts';
import type { ReceivedSpan, ResourceSpans } from './span.ts';
import { chooseSpans } from './unique-spans.ts';

/** Makes one part of several of a trace, or a few of many bytes, in which each span stands once. */
export function mergeParts(
  parts: readonly (readonly ResourceSpans[])[],
  partBytesMax: number,
): TracePart[] {
  const batches = parts.flat();
  const spans = batches.flatMap(({ scopes }) => scopes.flatMap(({ spans }) => spans));
  const chosen = chooseSpans<ReceivedSpan>(spans);
  return cutByTrace(batches, { take: (received) => chosen.get(received), partBytesMax });
}
