import { describe, expect, test } from 'vitest';
import { families } from '../families.ts';
import { type ReadSpan, readSpan } from '../read-span.ts';
import { calls } from './calls.ts';
import { spanOf } from './spans.ts';

/** Attributes that any family reads for the contents of a span. */
const contentKeys = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.system_instructions',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'gen_ai.prompt.messages',
  'gen_ai.completion.choices',
  'ai.prompt',
  'ai.prompt.messages',
  'ai.response.text',
  'ai.response.object',
  'ai.response.toolCalls',
  'ai.toolCall.args',
  'ai.toolCall.result',
  'input.value',
  'output.value',
  'traceloop.entity.input',
  'traceloop.entity.output',
  'langfuse.observation.input',
  'langfuse.observation.output',
  'mlflow.spanInputs',
  'mlflow.spanOutputs',
  'pydantic_ai.all_messages',
  'final_result',
  'gcp.vertex.agent.llm_request',
  'gcp.vertex.agent.llm_response',
  'lk.user_input',
  'lk.response.text',
  'tool_arguments',
  'tool_response',
];

/** Of a text any text may be the answer. */
const textKeys = new Set(['ai.response.text']);

const junk = ['', '{}', '[]', 'null', '{"messages":[]}', '[{"role":"user","content":null}]'];

const contentsOf = ({ input, output, inputMessages, outputMessages }: ReadSpan) => ({
  input,
  output,
  inputMessages,
  outputMessages,
});

describe('what a span says', () => {
  test.each(Object.entries(calls))('is the same beside empty attributes: %s', (_name, call) => {
    const before = contentsOf(readSpan(spanOf(call)));
    for (const key of contentKeys) {
      if (key in (call.attributes ?? {})) continue;
      for (const value of textKeys.has(key) ? [''] : junk) {
        const attributes = { ...call.attributes, [key]: value };
        expect(contentsOf(readSpan(spanOf({ ...call, attributes }))), `${key}: ${value}`).toEqual(
          before,
        );
      }
    }
  });

  const pairs = Object.entries(calls).flatMap(([one, call], at) =>
    Object.entries(calls)
      .slice(at + 1)
      .map(([other, otherCall]) => ({ one, other, call, otherCall })),
  );

  test.each(pairs)('is the same where two families say it: $one; $other', ({ call, otherCall }) => {
    const attributes = { ...otherCall.attributes, ...call.attributes };
    const events = [...(call.events ?? []), ...(otherCall.events ?? [])];
    const together = readSpan(spanOf({ attributes, events }));
    const apart = [call, otherCall].map((each) => contentsOf(readSpan(spanOf(each))));
    expect(apart).toContainEqual(contentsOf(together));
  });

  test('names every family once', () => {
    expect(new Set(families).size).toBe(families.length);
  });
});
