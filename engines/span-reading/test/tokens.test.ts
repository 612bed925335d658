import { describe, expect, test } from 'vitest';
import { readSpan } from '../read-span.ts';
import { summarizeTrace } from '../summarize-trace.ts';
import { spanOf } from './spans.ts';

const json = JSON.stringify;

describe('tokens and cost', () => {
  test.each<[string, Record<string, unknown>, object, number | null]>([
    [
      'Langfuse',
      {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.usage_details': json({
          input: 412,
          output: 67,
          input_cached_tokens: 300,
        }),
        'langfuse.observation.cost_details': json({ total: 0.3 }),
      },
      { input: 412, output: 67, total: 479, cacheRead: 300 },
      0.3,
    ],
    [
      'Langfuse, by the names of OpenAI',
      {
        'langfuse.observation.usage_details': json({ prompt_tokens: 412, completion_tokens: 67 }),
      },
      { input: 412, output: 67, total: 479 },
      null,
    ],
    [
      'MLflow',
      {
        'mlflow.llm.model': '"gpt-5-mini"',
        'mlflow.chat.tokenUsage': json({
          input_tokens: 412,
          output_tokens: 67,
          total_tokens: 479,
          cache_read_input_tokens: 300,
        }),
      },
      { input: 412, output: 67, total: 479, cacheRead: 300 },
      null,
    ],
    [
      'LiteLLM',
      {
        'gen_ai.usage.input_tokens': 412,
        'gen_ai.usage.output_tokens': 67,
        'gen_ai.cost.total_cost': 0.0001695,
      },
      { input: 412, output: 67 },
      0.0001695,
    ],
    [
      'Pydantic AI',
      {
        'gen_ai.usage.input_tokens': 412,
        'gen_ai.usage.output_tokens': 67,
        'gen_ai.usage.details.reasoning_tokens': 20,
        'operation.cost': 0.00017,
      },
      { input: 412, output: 67, reasoning: 20 },
      0.00017,
    ],
    [
      'Anthropic’s own client',
      { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_write.input_tokens': 50 },
      { input: 10, cacheCreation: 50 },
      null,
    ],
    [
      'an embedding',
      { 'gen_ai.operation.name': 'embeddings', 'gen_ai.usage.input_tokens': 12 },
      { input: 12, output: null, total: 12 },
      null,
    ],
  ])('are read of %s', (_client, attributes, tokens, costUsd) => {
    expect(readSpan(spanOf({ attributes }))).toMatchObject({ tokens, costUsd });
  });

  test('have the model that was asked where the call failed', () => {
    const attributes = {
      'openinference.span.kind': 'LLM',
      'llm.invocation_parameters': json({ model: 'gpt-5', temperature: 0 }),
    };
    expect(readSpan(spanOf({ attributes })).model).toBe('gpt-5');
  });

  const answerOf = (id: number, times: { start: number; end: number }) =>
    spanOf({
      id,
      parent: 1,
      ...times,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.response.id': 'msg_1',
        'gen_ai.response.model': 'claude-haiku-4-5',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
      },
    });

  test('count once where two instrumentations saw one answer', () => {
    const twice = [answerOf(2, { start: 1, end: 9 }), answerOf(3, { start: 2, end: 8 })];
    expect(summarizeTrace([spanOf({}), ...twice])).toMatchObject({
      inputTokens: 10,
      outputTokens: 5,
    });
  });

  test('count each time where an answer that was kept is given again', () => {
    const again = [answerOf(2, { start: 1, end: 2 }), answerOf(3, { start: 5, end: 6 })];
    expect(summarizeTrace([spanOf({}), ...again])).toMatchObject({
      inputTokens: 20,
      outputTokens: 10,
    });
  });
});

describe('the tokens of a model', () => {
  const spanWith = (usage: Record<string, number>) =>
    summarizeTrace([
      spanOf({
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'anthropic',
          'gen_ai.response.model': 'claude-sonnet-4-5',
          ...usage,
        },
      }),
    ]).tokensByModel;

  test('have those of a cache apart, whether a client counts them among those of the prompt or beside', () => {
    const cached = {
      'gen_ai.usage.cache_read.input_tokens': 90,
      'gen_ai.usage.cache_creation.input_tokens': 5,
    };
    const expected = [{ input: 10, cacheRead: 90, cacheCreation: 5 }];
    expect(spanWith({ ...cached, 'gen_ai.usage.input_tokens': 105 })).toMatchObject(expected);
    expect(spanWith({ ...cached, 'gen_ai.usage.input_tokens': 10 })).toMatchObject(expected);
  });

  test('leave out calls whose client says what they cost, unless it says nothing', () => {
    const used = { 'gen_ai.usage.input_tokens': 10 };
    expect(spanWith({ ...used, 'gen_ai.usage.cost': 0.1 })).toEqual([]);
    expect(spanWith({ ...used, 'gen_ai.usage.cost': 0 })).toMatchObject([
      { input: 10, isFree: true },
    ]);
  });
});

describe('labels', () => {
  test('of Langfuse have no quotes', () => {
    const attributes = {
      'langfuse.trace.metadata.region': '"eu"',
      'langfuse.trace.metadata.tier': '2',
      'langfuse.trace.tags': ['beta'],
    };
    expect(readSpan(spanOf({ attributes }))).toMatchObject({
      metadata: { region: 'eu', tier: '2' },
      tags: ['beta'],
    });
  });

  test('leave out what LangGraph says of itself', () => {
    const own = {
      langgraph_step: 1,
      ls_provider: 'openai',
      lc_versions: {},
      checkpoint_ns: 'a',
      region: 'eu',
    };
    const read = readSpan(spanOf({ attributes: { metadata: json(own) } }));
    expect(read.metadata).toEqual({ region: 'eu' });
  });

  test('of the AI SDK are tags where they are called so', () => {
    const attributes = {
      'ai.telemetry.metadata.tags': ['beta'],
      'ai.telemetry.metadata.region': 'eu',
    };
    expect(readSpan(spanOf({ attributes }))).toMatchObject({
      tags: ['beta'],
      metadata: { region: 'eu' },
    });
  });
});

test('a span of Logfire has the name that it is shown by', () => {
  const attributes = { 'logfire.msg': "Chat Completion with 'gpt-5'" };
  const span = spanOf({ name: 'Chat Completion with {request_data[model]!r}', attributes });
  expect(summarizeTrace([span]).name).toBe("Chat Completion with 'gpt-5'");
});
