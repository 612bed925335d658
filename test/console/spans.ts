import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Call } from '../system/installation.ts';

/** A span as a test tells it; its times are in milliseconds from the start of the trace. */
export interface SentSpan {
  id: string;
  parent?: string;
  name: string;
  from?: number;
  to?: number;
  attributes?: Record<string, string | number>;
  error?: string;
}

export const newTraceId = (): string => randomBytes(16).toString('hex');

/** The id of a span that a test calls `a`, `b` and so on. */
export const spanIdOf = (id: string): string => Buffer.from(id.padEnd(8, '.')).toString('hex');

const attributesOf = (attributes: Record<string, string | number> = {}) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: `${value}` },
  }));

/** An export of one trace in OTLP/JSON, as an instrumented system sends it. */
export function exportOf(
  traceId: string,
  spans: SentSpan[],
  { resource = {}, startedAt = Date.now() - 60_000 }: SentTrace = {},
) {
  const nanosecondsAt = (ms: number) => `${startedAt + ms}000000`;
  const sent = spans.map(({ id, parent, name, from = 0, to = 100, attributes, error }) => ({
    traceId,
    spanId: spanIdOf(id),
    ...(parent === undefined ? {} : { parentSpanId: spanIdOf(parent) }),
    name,
    kind: 1,
    startTimeUnixNano: nanosecondsAt(from),
    endTimeUnixNano: nanosecondsAt(to),
    attributes: attributesOf(attributes),
    ...(error === undefined ? {} : { status: { code: 2, message: error } }),
  }));
  const scopeSpans = [{ scope: { name: 'test' }, spans: sent }];
  return { resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] };
}

export interface SentTrace {
  resource?: Record<string, string>;
  startedAt?: number;
}

/** Sends a trace into a project. Returns its id. */
export async function sendTrace(
  call: Call,
  projectId: string,
  spans: SentSpan[],
  { resource = {}, ...rest }: SentTrace = {},
): Promise<string> {
  const traceId = newTraceId();
  const named = { 'assay.project_id': projectId, ...resource };
  const body = exportOf(traceId, spans, { ...rest, resource: named });
  const reply = await call('POST', '/otel/v1/traces', body);
  expect(reply.status, reply.text).toBe(200);
  return traceId;
}

/** The attributes of a call of a model, as OpenTelemetry's conventions for generative AI have them. */
export const chat = (
  input: { role: string; content: string }[],
  output: string,
): Record<string, string | number> => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-5-mini',
  'gen_ai.response.model': 'gpt-5-mini',
  'gen_ai.usage.input_tokens': 412,
  'gen_ai.usage.output_tokens': 67,
  'gen_ai.input.messages': JSON.stringify(
    input.map(({ role, content }) => ({ role, parts: [{ type: 'text', content }] })),
  ),
  'gen_ai.output.messages': JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: output }], finish_reason: 'stop' },
  ]),
});
