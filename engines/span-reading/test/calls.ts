import type { spanOf } from './spans.ts';

export const json = JSON.stringify;
export const question = 'Where is my parcel?';
export const answer = 'It arrives tomorrow.';
export const asked = { role: 'user', content: question };
export const answered = { role: 'assistant', content: answer };
export const system = { role: 'system', content: 'Be kind.' };
export const tools = [{ id: 'call_1', name: 'track', arguments: { id: 7 } }];
export const tokens = { input: 12, output: 5, total: 17 };

/** A call of a model, as each family of instrumentations sends it. */
export const calls: Record<
  string,
  Parameters<typeof spanOf>[0] & { from: string; model?: string }
> = {
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
