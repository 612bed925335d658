import { cutError } from '@assay/contracts/cut-text';
import { JsonText } from '@assay/contracts/payload';
import type { RecordMetrics, SystemError } from '@assay/contracts/run-records';
import { isObject } from '@assay/json/value';
import type { Contents } from '@assay/span-reading/contents';
import type { SpanError } from '@assay/span-reading/span-error';
import type { StoredHead } from '../store.ts';

/** A record of a trace, as run-records takes it. */
export type TracedRecord = ReturnType<typeof recordOf>;

/** Makes the record of a trace of the contents of one of its places. */
export function recordOf(head: StoredHead, contents: Contents) {
  const { input, output, inputMessages, outputMessages, error } = contents;
  return {
    traceId: head.traceId,
    inputs: payloadOf('input', input, inputMessages),
    expected: JsonText.of({}),
    outputs: error ? JsonText.of({}) : payloadOf('output', output, outputMessages),
    ...(error ? { error: systemErrorOf(error) } : {}),
    tags: head.tags,
    ...(head.sessionId === null ? {} : { sessionId: head.sessionId }),
    metrics: metricsOf(head),
    metadata: JsonText.of(Object.fromEntries(head.metadata)),
  };
}

/** Bytes of a record's payloads, and of its error, whose stack may be as long. */
export const bytesOf = ({ inputs, outputs, error }: TracedRecord): number =>
  inputs.bytes.length +
  outputs.bytes.length +
  (error ? Buffer.byteLength(JSON.stringify(error)) : 0);

/** A record has objects: any other value is a member of one, beside the messages. */
function payloadOf(name: string, value: unknown, messages: unknown[]): JsonText {
  if (isObject(value)) return JsonText.of(value);
  return JsonText.of({ [name]: value, ...(messages.length > 0 ? { messages } : {}) });
}

/** The error of a span as a record may hold it. */
const systemErrorOf = ({ status, ...texts }: SpanError): SystemError => ({
  ...cutError(texts),
  ...(status === null ? {} : { status }),
});

const metricsOf = ({
  startedAt,
  endedAt,
  inputTokens,
  outputTokens,
  costUsd,
  costIsPartial,
}: StoredHead): RecordMetrics => ({
  latencyMs: Math.max(0, endedAt - startedAt),
  ...(inputTokens === null ? {} : { inputTokens }),
  ...(outputTokens === null ? {} : { outputTokens }),
  // A part of the cost would be compared with the whole of another.
  ...(costUsd === null || costIsPartial ? {} : { costUsd }),
});
