import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import { textAt } from './attributes.ts';

/** Why a span has no output, as its client says. */
export interface SpanError {
  name: string | null;
  message: string;
  stack: string | null;
  /** The HTTP status that a call was answered with. */
  status: number | null;
}

const errorCode = 2;

export const endedWithError = ({ span }: SpanInTrace): boolean => span.status.code === errorCode;

/**
 * The error that a span ended with, null where it did not: the last event `exception` of
 * OpenTelemetry's conventions, and where there is none the status and `error.type`.
 */
export function errorOf(received: SpanInTrace): SpanError | null {
  if (!endedWithError(received)) return null;
  const { span } = received;
  const exception = span.events.findLast(({ name }) => name === 'exception')?.attributes;
  const said = (key: string) => exception && textAt(exception, [key])?.value;
  const type = textAt(span.attributes, ['error.type'])?.value;
  return {
    name: said('exception.type') ?? type ?? null,
    message:
      said('exception.message') ??
      (span.status.message || `The span ${span.name} ended with an error.`),
    stack: said('exception.stacktrace') ?? null,
    status: statusOf(span.attributes),
  };
}

/** A call's answer that is no success; `error.type` may be its digits. */
function statusOf(attributes: SpanInTrace['span']['attributes']): number | null {
  const found = textAt(attributes, ['http.response.status_code', 'http.status_code', 'error.type']);
  return found && /^[45]\d\d$/.test(found.value) ? Number(found.value) : null;
}
