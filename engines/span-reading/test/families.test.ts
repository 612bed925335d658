import { describe, expect, test } from 'vitest';
import { readSpan } from '../read-span.ts';
import { answered, asked, calls, json, question, system, tokens, tools } from './calls.ts';
import { spanOf } from './spans.ts';

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
