import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineOf } from '../line-of.ts';
import { readSpan } from '../read-span.ts';
import { summarizeTrace } from '../summarize-trace.ts';
import { attributesOf, spanOf } from './spans.ts';

const call = (id: number, parent: number | undefined, [input, output]: [number, number]) =>
  spanOf({
    id,
    ...(parent === undefined ? {} : { parent }),
    start: id,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': id % 2 ? 'a' : 'b',
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: `question ${id}` }]),
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: `answer ${id}` }]),
    },
  });

function agent(id: number, tokens: [number, number]): SpanInTrace {
  const span = call(id, undefined, tokens);
  span.span.attributes.set('gen_ai.operation.name', 'invoke_agent');
  return span;
}

describe('the summary of a trace', () => {
  test('has the root’s name, the whole time, its errors and its models', () => {
    expect(
      summarizeTrace([
        spanOf({ id: 2, parent: 1, name: 'step', start: 5, end: 50, code: 2 }),
        spanOf({ id: 1, name: 'root', start: 1, end: 40, resource: { 'service.name': 'bot' } }),
        call(3, 1, [1, 1]),
      ]),
    ).toMatchObject({
      name: 'root',
      hasRoot: true,
      serviceName: 'bot',
      startedAt: 1,
      durationMs: 49,
      spans: 3,
      errors: 1,
      models: ['a'],
      provider: 'openai',
    });
  });

  test('counts no token twice: those of a span are left out where calls below it have them', () => {
    const nested = summarizeTrace([agent(1, [30, 12]), call(2, 1, [10, 4]), call(3, 2, [20, 8])]);
    // 2 has the call 3 below it, which it sums up as well.
    expect(nested).toMatchObject({ inputTokens: 20, outputTokens: 8, totalTokens: 28 });
    const beside = summarizeTrace([agent(1, [30, 12]), call(2, 1, [10, 4]), call(3, 1, [20, 8])]);
    expect(beside).toMatchObject({ inputTokens: 30, outputTokens: 12, totalTokens: 42 });
    expect(beside.tokensByModel).toMatchObject([
      { model: 'b', provider: 'openai', input: 10, output: 4 },
      { model: 'a', provider: 'openai', input: 20, output: 8 },
    ]);
    expect(summarizeTrace([agent(1, [30, 12])])).toMatchObject({ inputTokens: 30 });
    expect(summarizeTrace([spanOf({})])).toMatchObject({ inputTokens: null, totalTokens: null });
  });

  test('has no model of an agent that another one answered', () => {
    const attributes = { 'ai.operationId': 'ai.generateText', 'ai.model.id': 'asked' };
    const agent = (id: number) => spanOf({ id, attributes });
    expect(summarizeTrace([agent(1), call(2, 1, [1, 1])])).toMatchObject({ models: ['b'] });
    expect(summarizeTrace([agent(1)])).toMatchObject({ models: ['asked'] });
  });

  test('has the input and output of the root, else those of the first and the last call', () => {
    const root = spanOf({
      id: 1,
      attributes: { 'input.value': '{"question":"whole"}', 'output.value': 'all' },
    });
    const calls = [call(2, 1, [1, 1]), call(3, 1, [1, 1])];
    expect(summarizeTrace([root, ...calls])).toMatchObject({
      inputPreview: 'whole',
      outputPreview: 'all',
    });
    expect(summarizeTrace([spanOf({ id: 1 }), ...calls])).toMatchObject({
      inputPreview: 'question 2',
      outputPreview: 'answer 3',
    });
  });

  test('has previews of one line, of 200 characters and no half of a pair', () => {
    const attributes = { 'input.value': `a\n\n b ${'😀'.repeat(300)}`, 'output.value': '   ' };
    const { inputPreview, outputPreview } = summarizeTrace([spanOf({ attributes })]);
    expect(inputPreview).toMatch(/^a b 😀/);
    expect(inputPreview!.length).toBeLessThanOrEqual(200);
    expect(inputPreview!.isWellFormed()).toBe(true);
    expect(outputPreview).toBe(null);
  });

  test('ends where parents are a ring, or are missing', () => {
    const ring = [call(1, 3, [1, 1]), call(2, 1, [1, 1]), call(3, 2, [1, 1])];
    expect(summarizeTrace(ring)).toMatchObject({ hasRoot: false, spans: 3 });
    expect(summarizeTrace([call(2, 99, [1, 2])])).toMatchObject({ name: 'span', totalTokens: 3 });
    expect(summarizeTrace([call(1, 1, [1, 2])])).toMatchObject({ totalTokens: 3 });
  });

  const spans = fc.array(
    fc
      .record({
        id: fc.integer({ min: 1, max: 6 }),
        parent: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
        name: fc.constantFrom('a', 'b', 'c'),
        start: fc.integer({ min: 0, max: 5 }),
        end: fc.integer({ min: 5, max: 9 }),
        code: fc.constantFrom(0, 2),
        bytes: fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 3 }),
        attributes: fc.dictionary(
          fc.constantFrom(
            'gen_ai.operation.name',
            'gen_ai.response.model',
            'gen_ai.usage.input_tokens',
            'session.id',
            'scorecard.tags',
            'scorecard.otel_link_id',
            'scorecard.color',
            'input.value',
          ),
          fc.oneof(fc.constantFrom('chat', 'x', 'y'), fc.integer({ min: 0, max: 99 })),
        ),
      })
      .map(({ parent, ...given }) => spanOf(parent === undefined ? given : { ...given, parent })),
    { minLength: 1, maxLength: 12 },
  );

  test('does not depend on the order of the spans, nor on spans that come again', () => {
    fc.assert(
      fc.property(
        // Spans that are different differ in their bytes.
        spans.filter((all) => new Set(all.map(keyOf)).size === all.length),
        fc.infiniteStream(fc.nat()),
        (all, dice) => {
          const again = [...all, ...all.filter((_, index) => index % 2 === 0)];
          const shuffled = again
            .map((span) => ({ span, at: dice.next().value! }))
            .sort((one, other) => one.at - other.at)
            .map(({ span }) => span);
          expect(summarizeTrace(shuffled)).toEqual(summarizeTrace(all));
        },
      ),
    );
  });
});

const keyOf = ({ span, bytes }: SpanInTrace): string =>
  Buffer.concat([span.spanId, bytes]).toString('hex');

describe('whatever a client sends', () => {
  const keys = [
    '__proto__',
    'constructor',
    'gen_ai.operation.name',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.prompt.999999999.content',
    'gen_ai.prompt.__proto__.x',
    'gen_ai.completion.0.content.0',
    'gen_ai.completion.0',
    'llm.input_messages.0.message',
    'llm.input_messages.0.message.role',
    'retrieval.documents.a.b.c.d.e.f.g.h.i.j.k.l.m.n',
    'ai.prompt',
    'ai.response.toolCalls',
    'scorecard.tags',
    'scorecard.tag.',
    'metadata',
    'session.id',
    'llm.token_count.prompt',
  ];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.json(),
    fc.string(),
    fc.double(),
    fc.uint8Array(),
    fc.constantFrom('{"role":', '[{"role":{"a":1},"content":[[]]}]', '[null]', '{"__proto__":{}}'),
  );

  test('is read, and gives what JSON can have', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), value),
        (attributes) => {
          const given = spanOf({ attributes, resource: attributes });
          given.span.attributes.set('__proto__', attributesOf({ a: 1 }));
          const read = readSpan(given);
          const { tokensByModel, ...summary } = summarizeTrace([given]);
          for (const shown of [read, lineOf(given), summary, ...tokensByModel])
            expect(() => JSON.stringify(shown)).not.toThrow();
          expect(({} as Record<string, unknown>).a).toBeUndefined();
          expect(Object.keys(read.metadata).length).toBeLessThanOrEqual(20);
        },
      ),
      { numRuns: volume(500) },
    );
  });
});
