import type { TraceSpan } from '@assay/contracts/traces';
import { hexOf, type SpanInTrace } from '@assay/otlp/cut-by-trace';
import { attributesToJson } from '@assay/span-reading/attributes';
import { lineOf, millisecondsOf } from '@assay/span-reading/line-of';
import { readSpan } from '@assay/span-reading/read-span';

/** A span with everything that its client sent, and with the fields that were read of it. */
export function showSpan(received: SpanInTrace): TraceSpan {
  const read = readSpan(received);
  const {
    inputPreview: _input,
    outputPreview: _output,
    startedAt,
    ...line
  } = lineOf(received, read);
  const { span, resource, scope } = received;
  return {
    ...line,
    startedAt: new Date(startedAt).toISOString(),
    provider: read.provider,
    input: read.input ?? null,
    output: read.output ?? null,
    inputMessages: read.inputMessages,
    outputMessages: read.outputMessages,
    evaluations: read.evaluations,
    from: read.from,
    attributes: attributesToJson(span.attributes),
    events: span.events.map(({ name, time, attributes }) => ({
      name,
      at: instantOf(time),
      attributes: attributesToJson(attributes),
    })),
    links: span.links.map(({ traceId, spanId, attributes }) => ({
      traceId: hexOf(traceId),
      spanId: hexOf(spanId),
      attributes: attributesToJson(attributes),
    })),
    resource: attributesToJson(resource.attributes),
    scope: {
      name: scope.name,
      version: scope.version,
      attributes: attributesToJson(scope.attributes),
    },
  };
}

/** The last instant that a date of JavaScript can have, in ms since 1970. */
const lastInstant = 8.64e15;

/** An event may have any time at all. */
const instantOf = (nanoseconds: bigint): string =>
  new Date(Math.min(millisecondsOf(nanoseconds), lastInstant)).toISOString();
