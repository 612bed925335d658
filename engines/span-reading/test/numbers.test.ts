import { writeJson } from '@assay/json/write';
import { describe, expect, test } from 'vitest';
import { contentsOf } from '../contents.ts';
import { lineOf } from '../line-of.ts';
import { readSpan } from '../read-span.ts';
import { spanOf } from './spans.ts';

const text = '{"id":12345678901234567890,"price":1.50,"huge":1e400}';

describe('the numbers of a span have the digits that were sent', () => {
  test.each([
    ['OpenInference', { 'input.value': text, 'input.mime_type': 'application/json' }],
    ['OpenLLMetry', { 'traceloop.entity.input': text }],
    ['MLflow', { 'mlflow.spanInputs': text }],
    ['a tool', { 'gen_ai.tool.call.arguments': text }],
    ['the AI SDK', { 'ai.toolCall.args': text }],
    ['arguments of Python', { 'traceloop.entity.input': `{"args":[${text}],"kwargs":{}}` }],
  ])('in its input and its preview: %s', (_name, attributes) => {
    const span = spanOf({ attributes });
    expect(writeJson(readSpan(span).input)).toBe(text);
    expect(lineOf(span).inputPreview).toBe(text);
    expect(writeJson(contentsOf([span], 'trace')?.input)).toBe(text);
  });

  test('in the arguments of the tools that a model asks for, and in metadata', () => {
    const { outputMessages, metadata } = readSpan(
      spanOf({
        attributes: {
          metadata: text,
          'gen_ai.output.messages': JSON.stringify([
            {
              role: 'assistant',
              parts: [{ type: 'tool_call', id: '1', name: 'pay', arguments: text }],
            },
          ]),
        },
      }),
    );
    expect(writeJson(outputMessages[0]?.toolCalls?.[0]?.arguments)).toBe(text);
    expect(metadata).toEqual({ id: '12345678901234567890', price: '1.50', huge: '1e400' });
  });
});
