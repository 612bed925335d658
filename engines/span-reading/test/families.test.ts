import { describe, expect, test } from 'vitest';
import { readSpan } from '../read-span.ts';
import { spanOf } from './spans.ts';

const json = JSON.stringify;
const question = 'Where is my parcel?';
const answer = 'It arrives tomorrow.';
const asked = { role: 'user', content: question };
const answered = { role: 'assistant', content: answer };
const system = { role: 'system', content: 'Be kind.' };
const tools = [{ id: 'call_1', name: 'track', arguments: { id: 7 } }];
const tokens = { input: 12, output: 5, total: 17 };

/** A call of a model, as each family of instrumentations sends it. */
const calls: Record<string, Parameters<typeof spanOf>[0] & { from: string; model?: string }> = {
  'OpenTelemetry, with values within each other': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.system_instructions': [{ type: 'text', content: 'Be kind.' }],
      'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: question }] }],
      'gen_ai.output.messages': [
        { role: 'assistant', parts: [{ type: 'text', content: answer }], finish_reason: 'stop' },
      ],
    },
    from: 'gen_ai.input.messages',
  },
  'OpenTelemetry, with texts of JSON': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.input.messages': json([
        { role: 'system', parts: [{ type: 'text', content: 'Be kind.' }] },
        { role: 'user', parts: [{ type: 'text', content: question }] },
      ]),
      'gen_ai.output.messages': json([
        { role: 'assistant', parts: [{ type: 'text', content: answer }] },
      ]),
    },
    from: 'gen_ai.input.messages',
  },
  'OpenTelemetry, in the event with the details': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 5,
    },
    events: [
      {
        name: 'gen_ai.client.inference.operation.details',
        attributes: {
          'gen_ai.system_instructions': json([{ type: 'text', content: 'Be kind.' }]),
          'gen_ai.input.messages': json([
            { role: 'user', parts: [{ type: 'text', content: question }] },
          ]),
          'gen_ai.output.messages': json([
            { role: 'assistant', parts: [{ type: 'text', content: answer }] },
          ]),
        },
      },
    ],
    from: 'gen_ai.client.inference.operation.details: gen_ai.input.messages',
  },
  'OpenTelemetry up to 1.36, in an event for each message': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.usage.prompt_tokens': 12,
      'gen_ai.usage.completion_tokens': 5,
    },
    events: [
      { name: 'gen_ai.system.message', attributes: { content: 'Be kind.' } },
      { name: 'gen_ai.user.message', attributes: { content: question } },
      {
        name: 'gen_ai.choice',
        attributes: { index: 0, finish_reason: 'stop', message: json({ content: answer }) },
      },
    ],
    from: 'gen_ai.system.message',
  },
  'Traceloop’s OpenLLMetry': {
    attributes: {
      'llm.request.type': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be kind.',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': question,
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': answer,
      'gen_ai.completion.0.finish_reason': 'stop',
      'gen_ai.usage.prompt_tokens': 12,
      'gen_ai.usage.completion_tokens': 5,
      'llm.usage.total_tokens': 17,
    },
    from: 'gen_ai.prompt',
  },
  OpenInference: {
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.provider': 'openai',
      'llm.model_name': 'gpt-5-mini',
      'input.value': json({ messages: [asked] }),
      'input.mime_type': 'application/json',
      'output.value': json({ choices: [] }),
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'Be kind.',
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.contents.0.message_content.type': 'text',
      'llm.input_messages.1.message.contents.0.message_content.text': question,
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': answer,
      'llm.token_count.prompt': 12,
      'llm.token_count.completion': 5,
      'llm.token_count.total': 17,
    },
    from: 'llm.input_messages',
  },
  'Vercel’s AI SDK': {
    attributes: {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.model.id': 'gpt-5',
      'ai.response.model': 'gpt-5-mini',
      'ai.model.provider': 'openai.chat',
      'ai.prompt.messages': json([
        system,
        { role: 'user', content: [{ type: 'text', text: question }] },
      ]),
      'ai.response.text': answer,
      'ai.usage.promptTokens': 12,
      'ai.usage.completionTokens': 5,
    },
    from: 'ai.prompt.messages',
  },
  'Scorecard’s SDKs': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.prompt.messages': json([system, asked]),
      'gen_ai.completion.choices': json([{ index: 0, message: answered, finish_reason: 'stop' }]),
      'gen_ai.usage.prompt_tokens': 12,
      'gen_ai.usage.completion_tokens': 5,
      'gen_ai.usage.total_tokens': 17,
    },
    from: 'gen_ai.prompt.messages',
  },
};

describe('a call of a model', () => {
  test.each(Object.entries(calls))(
    'by %s has its input, output, model, provider and tokens',
    (_family, { from, ...given }) => {
      const read = readSpan(spanOf(given));
      expect(read).toMatchObject({
        operation: 'chat',
        model: 'gpt-5-mini',
        provider: 'openai',
        inputMessages: [system, asked],
        outputMessages: [answered],
        input: [system, asked],
        output: [answered],
        tokens,
      });
      expect(read.from.input).toBe(from);
    },
  );

  const withTools: Record<string, Record<string, unknown>> = {
    OpenTelemetry: {
      'gen_ai.output.messages': json([
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', id: 'call_1', name: 'track', arguments: { id: 7 } }],
        },
      ]),
    },
    Traceloop: {
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.tool_calls.0.id': 'call_1',
      'gen_ai.completion.0.tool_calls.0.name': 'track',
      'gen_ai.completion.0.tool_calls.0.arguments': '{"id":7}',
    },
    OpenInference: {
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'call_1',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'track',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"id":7}',
    },
    'the AI SDK': {
      'ai.response.toolCalls': json([
        { toolCallType: 'function', toolCallId: 'call_1', toolName: 'track', args: '{"id":7}' },
      ]),
    },
    Scorecard: {
      'gen_ai.completion.choices': json([
        {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: 'track', arguments: '{"id":7}' },
              },
            ],
          },
        },
      ]),
    },
  };

  test.each(Object.entries(withTools))(
    'that asks for a tool says so in one shape: %s',
    (_family, attributes) => {
      expect(readSpan(spanOf({ attributes })).outputMessages).toEqual([
        { role: 'assistant', content: null, toolCalls: tools },
      ]);
    },
  );
});

describe('a span that calls no model', () => {
  const others: [string, Record<string, unknown>, object][] = [
    [
      'a tool of OpenTelemetry',
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.call.arguments': '{"id":7}',
        'gen_ai.tool.call.result': 'late',
      },
      { operation: 'tool', input: { id: 7 }, output: 'late' },
    ],
    [
      'a tool of the AI SDK',
      {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.args': '{"id":7}',
        'ai.toolCall.result': '"late"',
      },
      { operation: 'tool', input: { id: 7 }, output: 'late' },
    ],
    [
      'a retriever of OpenInference',
      {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': question,
        'retrieval.documents.0.document.content': 'Parcels …',
        'retrieval.documents.0.document.score': 0.5,
      },
      {
        operation: 'retrieval',
        input: question,
        output: [{ document: { content: 'Parcels …', score: 0.5 } }],
      },
    ],
    [
      'a workflow of Traceloop',
      {
        'traceloop.workflow.name': 'w',
        'traceloop.association.properties.user_id': 'u',
        'traceloop.association.properties.session_id': 's',
        'traceloop.span.kind': 'workflow',
        'traceloop.entity.name': 'w',
        'traceloop.entity.input': '{"args": ["a"], "kwargs": {}}',
        'traceloop.entity.output': '"b"',
      },
      { operation: 'workflow', input: 'a', output: 'b', sessionId: 's', userId: 'u' },
    ],
    [
      'a task of Traceloop with named arguments',
      {
        'traceloop.span.kind': 'task',
        'traceloop.entity.input': '{"args": [], "kwargs": {"question": "a"}}',
      },
      { operation: 'workflow', input: { question: 'a' } },
    ],
    [
      'a tool of Traceloop with several arguments',
      {
        'traceloop.span.kind': 'tool',
        'traceloop.entity.input': '{"args": ["a", 2], "kwargs": {}}',
      },
      { operation: 'tool', input: ['a', 2] },
    ],
    [
      'a step of MLflow',
      { 'mlflow.spanType': '"AGENT"', 'mlflow.spanInputs': '{"a":1}', 'mlflow.spanOutputs': '"b"' },
      { operation: 'agent', input: { a: 1 }, output: 'b' },
    ],
    [
      'a step of Langfuse',
      {
        'langfuse.observation.type': 'evaluator',
        'langfuse.observation.input': 'a',
        'langfuse.observation.output': 'b',
        'langfuse.session.id': 's',
      },
      { operation: 'evaluation', input: 'a', output: 'b', sessionId: 's' },
    ],
  ];

  test.each(others)('is read as well: %s', (_name, attributes, expected) => {
    expect(readSpan(spanOf({ attributes }))).toMatchObject(expected);
  });
});

describe('the labels of a span', () => {
  test('are read by the names of Scorecard and ours, of the span before its resource', () => {
    expect(
      readSpan(
        spanOf({
          attributes: {
            'scorecard.project_id': '7',
            'scorecard.otel_link_id': 'link-1',
            'scorecard.tracing_group_id': 'group-1',
            'scorecard.tags': 'a, b,',
            'scorecard.tag.c': true,
            'scorecard.tag.d': false,
            'scorecard.customer': 'acme',
            'user.id': 'u1',
          },
          resource: {
            'service.name': 'bot',
            'scorecard.project_id': '8',
            'assay.otel_link_id': 'link-2',
            'scorecard.session_id': 's1',
            'scorecard.customer': 'other',
            'assay.region': 'eu',
          },
        }),
      ),
    ).toMatchObject({
      projectId: '7',
      linkIds: ['link-1', 'link-2'],
      groupId: 'group-1',
      tags: ['a', 'b', 'c'],
      metadata: { customer: 'acme', region: 'eu' },
      sessionId: 's1',
      userId: 'u1',
      serviceName: 'bot',
    });
  });

  test('have the session of the span before that of the resource, and a conversation last', () => {
    const sessionOf = (attributes: object, resource: object = {}) =>
      readSpan(spanOf({ attributes: { ...attributes }, resource: { ...resource } })).sessionId;
    const resource = { 'scorecard.session_id': 'of the resource' };
    expect(sessionOf({ 'session.id': 'own', 'scorecard.session_id': 'later' }, resource)).toBe(
      'own',
    );
    expect(sessionOf({ 'scorecard.session_id': 'later' }, resource)).toBe('of the resource');
    expect(sessionOf({ 'scorecard.session_id': 'later' })).toBe('later');
    expect(sessionOf({ 'gen_ai.conversation.id': 'talk' })).toBe('talk');
  });
});
