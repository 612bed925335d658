import { describe, expect, test } from 'vitest';
import { readSpan } from '../read-span.ts';
import { spanOf } from './spans.ts';

/**
 * What published clients sent for the second call of one conversation, in which the first asked for a tool:
 * test/system/instrumentations.test.ts has the conversation, and runs them.
 */
const published: Record<string, { attributes: Record<string, unknown> }> = {
  'openinference-instrumentation-openai 0.1.66': {
    attributes: {
      'llm.system': 'openai',
      'input.value':
        '{"model": "gpt-5", "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where is my parcel?"}]}',
      'input.mime_type': 'application/json',
      'output.value':
        '{"id":"chatcmpl-1","choices":[{"finish_reason":"stop","index":0,"message":{"content":"It arrives tomorrow.","role":"assistant"}}],"created":1,"model":"gpt-5-mini","object":"chat.completion","usage":{"completion_tokens":6,"prompt_tokens":40,"total_tokens":46}}',
      'output.mime_type': 'application/json',
      'llm.tools.0.tool.json_schema': '{"type": "function", "function": {"name": "track"}}',
      'llm.invocation_parameters': '{"model": "gpt-5"}',
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'Be kind.',
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.content': 'Where is my parcel?',
      'llm.input_messages.2.message.role': 'assistant',
      'llm.input_messages.2.message.tool_calls.0.tool_call.id': 'call_1',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'track',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{"parcel":7}',
      'llm.input_messages.3.message.role': 'tool',
      'llm.input_messages.3.message.tool_call_id': 'call_1',
      'llm.input_messages.3.message.content': 'late',
      'llm.model_name': 'gpt-5-mini',
      'llm.token_count.total': 46,
      'llm.token_count.prompt': 40,
      'llm.token_count.completion': 6,
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'It arrives tomorrow.',
      'llm.finish_reason': 'stop',
      'openinference.span.kind': 'LLM',
    },
  },
  'opentelemetry-instrumentation-openai 0.62.4, of Traceloop': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.is_streaming': false,
      'gen_ai.input.messages':
        '[{"role": "system", "parts": [{"content": "Be kind.", "type": "text"}]}, {"role": "user", "parts": [{"content": "Where is my parcel?", "type": "text"}]}, {"role": "assistant", "parts": [{"type": "tool_call", "name": "track", "id": "call_1", "arguments": {"parcel": 7}}]}, {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_1", "response": "late"}]}]',
      'gen_ai.tool.definitions': '[{"type": "function", "name": "track"}]',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.total_tokens': 46,
      'gen_ai.usage.output_tokens': 6,
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.output.messages':
        '[{"role": "assistant", "parts": [{"content": "It arrives tomorrow.", "type": "text"}], "finish_reason": "stop"}]',
    },
  },
  'scorecard-ai 3.10.0': {
    attributes: {
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.operation.name': 'chat',
      'scorecard.project_id': '019a9c1e-7d3a-7000-8000-0242ac120001',
      'gen_ai.prompt.messages':
        '[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where is my parcel?"}, {"role": "assistant", "tool_calls": [{"id": "call_1", "function": {"arguments": "{\\"parcel\\":7}", "name": "track"}, "type": "function"}]}, {"role": "tool", "tool_call_id": "call_1", "content": "late"}]',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.response.finish_reason': 'stop',
      'gen_ai.usage.prompt_tokens': 40,
      'gen_ai.usage.completion_tokens': 6,
      'gen_ai.usage.total_tokens': 46,
      'gen_ai.completion.choices':
        '[{"message": {"role": "assistant", "content": "It arrives tomorrow."}}]',
    },
  },
  'ai 6.0.325, of Vercel': {
    attributes: {
      'operation.name': 'ai.generateText.doGenerate',
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.model.provider': 'openai.chat',
      'ai.model.id': 'gpt-5',
      'ai.settings.maxRetries': 2,
      'ai.telemetry.metadata.sessionId': 'session-1',
      'ai.telemetry.metadata.userId': 'customer-8',
      'ai.request.headers.user-agent': 'ai/6.0.325',
      'ai.prompt.messages':
        '[{"role":"system","content":"Be kind."},{"role":"user","content":[{"type":"text","text":"Where is my parcel?"}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"call_1","toolName":"track","input":{"parcel":7}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"call_1","toolName":"track","output":{"type":"text","value":"late"}}]}]',
      'ai.prompt.tools': ['{"type":"function","name":"track"}'],
      'ai.prompt.toolChoice': '{"type":"auto"}',
      'gen_ai.system': 'openai.chat',
      'gen_ai.request.model': 'gpt-5',
      'ai.response.finishReason': 'stop',
      'ai.response.text': 'It arrives tomorrow.',
      'ai.response.id': 'chatcmpl-1',
      'ai.response.model': 'gpt-5-mini',
      'ai.response.timestamp': '1970-01-01T00:00:01.000Z',
      'ai.usage.inputTokens': 40,
      'ai.usage.inputTokenDetails.noCacheTokens': 40,
      'ai.usage.inputTokenDetails.cacheReadTokens': 0,
      'ai.usage.outputTokens': 6,
      'ai.usage.outputTokenDetails.textTokens': 6,
      'ai.usage.outputTokenDetails.reasoningTokens': 0,
      'ai.usage.totalTokens': 46,
      'ai.usage.reasoningTokens': 0,
      'ai.usage.cachedInputTokens': 0,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.model': 'gpt-5-mini',
      'gen_ai.usage.input_tokens': 40,
      'gen_ai.usage.output_tokens': 6,
    },
  },
};

describe('a call of a model after that of a tool', () => {
  test.each(Object.entries(published))('is read as it is meant: %s', (_client, { attributes }) => {
    const read = readSpan(spanOf({ attributes }));
    const answer = [{ role: 'assistant', content: 'It arrives tomorrow.' }];
    const question = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Where is my parcel?' },
      {
        role: 'assistant',
        content: null,
        toolCalls: [{ id: 'call_1', name: 'track', arguments: { parcel: 7 } }],
      },
      { role: 'tool', content: 'late', toolCallId: 'call_1' },
    ];
    expect(read).toMatchObject({
      operation: 'chat',
      model: 'gpt-5-mini',
      provider: 'openai',
      tokens: { input: 40, output: 6, total: 46 },
      input: question,
      output: answer,
      inputMessages: question,
      outputMessages: answer,
    });
  });
});
