import type { SpanInTrace } from '@assay/otlp/cut-by-trace';

/** The ids of spans one behind the other, 8 bytes each, as a stored part tells what it has. */
export const spanIdsOf = (spans: readonly SpanInTrace[]): Uint8Array =>
  Buffer.concat(spans.map(({ span }) => span.spanId));
