import { hexOf, type SpanInTrace } from '@assay/otlp/cut-by-trace';
import { hasParent } from '@assay/otlp/log-record';
import type { Span } from '@assay/otlp/span';
import type { SpanOperation } from './family.ts';
import { previewOf, previewOfMessages } from './preview.ts';
import { readContents, type SpanContents, type SpanTokens } from './read-span.ts';

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const statuses = ['unset', 'ok', 'error'] as const;

/** A span without its large values. */
export interface SpanLine {
  spanId: string;
  /** Null for a root. */
  parentSpanId: string | null;
  name: string;
  kind: (typeof kinds)[number];
  operation: SpanOperation | null;
  /** Milliseconds since 1970, to a microsecond. */
  startedAt: number;
  durationMs: number;
  status: (typeof statuses)[number];
  statusMessage: string;
  model: string | null;
  tokens: SpanTokens;
  costUsd: number | null;
  inputPreview: string | null;
  outputPreview: string | null;
}

/** The row of a span in a list; `read` is the span as it was read, where it was. */
export function lineOf(
  received: SpanInTrace,
  read: SpanContents = readContents(received),
): SpanLine {
  const { span } = received;
  const { operation, model, tokens, costUsd } = read;
  return {
    spanId: hexOf(span.spanId),
    parentSpanId: hasParent(span) ? hexOf(span.parentSpanId) : null,
    name: nameOf(span),
    kind: kinds[span.kind] ?? 'unspecified',
    operation,
    startedAt: millisecondsOf(span.start),
    durationMs: durationOf(span),
    status: statuses[span.status.code] ?? 'unset',
    statusMessage: span.status.message,
    model,
    tokens,
    costUsd,
    inputPreview: inputPreviewOf(read),
    outputPreview: outputPreviewOf(read),
  };
}

export const inputPreviewOf = ({ input, inputMessages }: SpanContents): string | null =>
  previewOfMessages(inputMessages) ?? previewOf(input);

export const outputPreviewOf = ({ output, outputMessages }: SpanContents): string | null =>
  previewOfMessages(outputMessages) ?? previewOf(output);

/** The name of a span; Logfire has its template there, and the name beside it. */
export function nameOf({ name, attributes }: Pick<Span, 'name' | 'attributes'>): string {
  const written = attributes.get('logfire.msg');
  return typeof written === 'string' && written !== '' ? written : name;
}

/** Nanoseconds since 1970 as milliseconds, to a microsecond: a number has no more for today. */
export const millisecondsOf = (nanoseconds: bigint): number => Number(nanoseconds / 1000n) / 1000;

/** The duration of a span in milliseconds, with its fraction. */
export const durationOf = ({ start, end }: Pick<Span, 'start' | 'end'>): number =>
  Number(end - start) / 1e6;
