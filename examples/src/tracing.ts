import { randomBytes } from 'node:crypto';
import type { Client, Json } from '@assay/client/client';

/** An answer of a version of the system, and how it came to be. */
export interface TracedAnswer {
  version: string;
  model: string;
  inputs: Json;
  outputs: Json;
  /** Milliseconds since 1970, with their fraction. */
  startedAt: number;
  endedAt: number;
}

export interface Tracer {
  /** Traces an answer, and returns the id of its trace, which its record names as its `otelLinkId`. */
  trace(answer: TracedAnswer): Promise<string>;
  /** Sends what was not sent yet. */
  flush(): Promise<void>;
}

const tracesPerRequest = 100;

/** OTLP is another protocol: the contracts know its body as bytes. */
type SendTraces = (method: 'POST', path: '/v1/traces', options: { body: object }) => Promise<void>;

/**
 * Sends a trace an answer, as OTLP/JSON: by hand, to show that it takes no library. `otlp` is a
 * client of `/otel`.
 */
export function createTracer(otlp: Client, projectId: string): Tracer {
  const resource = { 'service.name': 'assay-demo', 'assay.project_id': projectId };
  let spans: object[] = [];
  async function flush(): Promise<void> {
    const sent = spans;
    spans = [];
    if (sent.length === 0) return;
    await (otlp.request as unknown as SendTraces)('POST', '/v1/traces', {
      body: {
        resourceSpans: [
          {
            resource: { attributes: attributesOf(resource) },
            scopeSpans: [{ scope: { name: 'demo' }, spans: sent }],
          },
        ],
      },
    });
  }
  return {
    async trace(answer) {
      const traceId = randomBytes(16).toString('hex');
      spans.push(...spansOf(traceId, answer));
      if (spans.length >= 2 * tracesPerRequest) await flush();
      return traceId;
    },
    flush,
  };
}

/** The whole answer, and below it the call of the model that gave it. */
function spansOf(
  traceId: string,
  { version, model, inputs, outputs, startedAt, endedAt }: TracedAnswer,
): object[] {
  const rootId = randomBytes(8).toString('hex');
  const [input, output] = [Object.values(inputs).join('\n'), JSON.stringify(outputs)];
  const times = {
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
  };
  return [
    {
      traceId,
      spanId: rootId,
      name: 'answer',
      kind: spanKind.internal,
      ...times,
      attributes: attributesOf({ 'assay.otel_link_id': traceId, 'assay.version': version }),
    },
    {
      traceId,
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: rootId,
      name: `chat ${model}`,
      kind: spanKind.client,
      ...times,
      attributes: attributesOf({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'demo',
        'gen_ai.response.model': model,
        'gen_ai.usage.input_tokens': wordsIn(input),
        'gen_ai.usage.output_tokens': wordsIn(output),
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: input }]),
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: output }]),
      }),
    },
  ];
}

const spanKind = { internal: 1, client: 3 };

const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds * 1000)}000`;

/** The programs of the demo have no tokens: each word is one. */
const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

const attributesOf = (values: Record<string, string | number>): object[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
  }));
