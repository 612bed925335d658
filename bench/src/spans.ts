import { randomBytes } from 'node:crypto';
import { writeRequest } from '@assay/otlp/cut-by-trace';
import { writeResource, writeScope, writeSpan } from '@assay/otlp/protobuf/write';
import type { Span, Value } from '@assay/otlp/span';
import type { NumberedBody } from './load.ts';
import { numberedBody, numberMark } from './numbered-bodies.ts';

/** Spans of a trace. */
export const spansEach = 12;

/**
 * A span of 1.4 KB, as instrumentations of models send them: a call of a model with its messages.
 * Its ids have the mark of a number. `place` is its place in its trace; the last one is the root.
 */
function newSpan({ trace, place, root }: { trace: Uint8Array; place: number; root: number }): Span {
  const start = BigInt(Date.now() + 10 * place) * 1_000_000n;
  const isRoot = place === root;
  return {
    traceId: trace,
    spanId: idOf(trace, place),
    parentSpanId: isRoot ? new Uint8Array() : idOf(trace, root),
    name: isRoot ? 'answer-question' : 'chat gpt-5-mini',
    kind: 3,
    start,
    end: start + 750_000_000n,
    attributes: new Map<string, Value>([
      ['gen_ai.operation.name', isRoot ? 'invoke_agent' : 'chat'],
      ['gen_ai.provider.name', 'openai'],
      ['gen_ai.request.model', 'gpt-5-mini'],
      ['gen_ai.response.model', 'gpt-5-mini-2025-08-07'],
      ['gen_ai.response.id', randomBytes(16).toString('hex')],
      ['gen_ai.usage.input_tokens', BigInt(100 + place)],
      ['gen_ai.usage.output_tokens', BigInt(20 + place)],
      [
        'gen_ai.input.messages',
        JSON.stringify([
          { role: 'system', parts: [{ type: 'text', content: sentence(45) }] },
          { role: 'user', parts: [{ type: 'text', content: sentence(40) }] },
        ]),
      ],
      [
        'gen_ai.output.messages',
        JSON.stringify([
          {
            role: 'assistant',
            parts: [{ type: 'text', content: sentence(40) }],
            finish_reason: 'stop',
          },
        ]),
      ],
    ]),
    events: [],
    links: [],
    status: { code: 0, message: '' },
  };
}

/** A new trace id: the mark stands behind bytes that spread traces over their index. */
const newTrace = (): Uint8Array => Buffer.concat([randomBytes(4), numberMark, randomBytes(8)]);

/** The id of a span of a trace: four bytes of its own, and the mark. */
function idOf(trace: Uint8Array, place: number): Uint8Array {
  const own = Buffer.from(trace.subarray(8, 12));
  own.writeUInt32BE((own.readUInt32BE() + place) >>> 0);
  return Buffer.concat([own, numberMark]);
}

function sentence(words: number): string {
  return Array.from(
    { length: words },
    () => vocabulary[Math.floor(Math.random() * vocabulary.length)],
  ).join(' ');
}

/** As many words as people use, so that compression finds no more than in what people write. */
const vocabulary = Array.from({ length: 5000 }, () =>
  randomBytes(6)
    .toString('base64url')
    .slice(0, 3 + Math.floor(Math.random() * 6)),
);

function bodyOf(projectId: string, spans: Span[]): NumberedBody {
  const resource = {
    attributes: new Map([
      ['service.name', 'support-bot'],
      ['assay.project_id', projectId],
      ['telemetry.sdk.language', 'nodejs'],
    ]),
  };
  const scope = { name: 'bench', version: '1', attributes: new Map() };
  return numberedBody(
    writeRequest([
      {
        resource,
        resourceBytes: writeResource(resource),
        schemaUrl: '',
        scopes: [
          {
            scope,
            scopeBytes: writeScope(scope),
            schemaUrl: '',
            spans: spans.map((span) => ({ span, bytes: writeSpan(span) })),
          },
        ],
      },
    ]),
  );
}

const spansOf = (trace: Uint8Array, count: number): Span[] =>
  Array.from({ length: count }, (_, place) => newSpan({ trace, place, root: count - 1 }));

/** Requests of whole traces with so many spans in all. */
export const batches = (
  projectId: string,
  { bodies, spans }: { bodies: number; spans: number },
): NumberedBody[] =>
  Array.from({ length: bodies }, () => {
    const all: Span[] = [];
    while (all.length < spans)
      all.push(...spansOf(newTrace(), Math.min(spansEach, spans - all.length)));
    return bodyOf(projectId, all);
  });

/** Requests of one span each, of traces that come side by side, their roots last. */
export function singles(projectId: string, traces: number): NumberedBody[] {
  const spans = Array.from({ length: traces }, () => spansOf(newTrace(), spansEach));
  return Array.from({ length: spansEach }, (_, place) =>
    spans.map((trace) => bodyOf(projectId, [trace[place]!])),
  ).flat();
}

/** Requests that bring one trace of so many spans, and its id in the first turn. */
export function longTrace(
  projectId: string,
  { requests, spans }: { requests: number; spans: number },
): NumberedBody[] {
  const all = spansOf(newTrace(), requests * spans);
  return Array.from({ length: requests }, (_, index) =>
    bodyOf(projectId, all.slice(index * spans, (index + 1) * spans)),
  );
}
