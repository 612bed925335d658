import { describe, expect, test } from 'vitest';
import { contentsOf } from '../contents.ts';
import { readSpan } from '../read-span.ts';
import { summarizeTrace } from '../summarize-trace.ts';
import { spanOf } from './spans.ts';

const json = JSON.stringify;
const question = 'Where is my parcel?';
const answer = 'It arrives tomorrow.';
const system = { role: 'system', content: 'Be kind.' };
const asked = { role: 'user', content: question };
const call = { id: 'call_1', name: 'track', arguments: { parcel: 7 } };
const calls = { role: 'assistant', content: null, toolCalls: [call] };
const result = { role: 'tool', content: 'late', toolCallId: 'call_1' };
const answered = { role: 'assistant', content: answer };
const whole = [system, asked, calls, result, answered];

const text = (content: string) => ({ type: 'text', content });
const otel = [
  { role: 'user', parts: [text(question)] },
  { role: 'assistant', parts: [{ type: 'tool_call', ...call }] },
  { role: 'user', parts: [{ type: 'tool_call_response', id: 'call_1', result: 'late' }] },
  { role: 'assistant', parts: [text(answer)] },
];
const langChain = [
  { type: 'system', content: 'Be kind.' },
  { type: 'human', data: { content: question, id: '1' } },
  { type: 'ai', data: { content: '', tool_calls: [{ ...call, args: call.arguments }] } },
  { type: 'tool', data: { content: 'late', tool_call_id: 'call_1' } },
  { type: 'ai', data: { content: answer, usage_metadata: { input_tokens: 1 } } },
];
const openAiCall = { id: 'call_1', function: { name: 'track', arguments: '{"parcel":7}' } };
const openAi = [
  system,
  asked,
  { role: 'assistant', content: null, tool_calls: [openAiCall] },
  { role: 'tool', tool_call_id: 'call_1', content: 'late' },
];
const completion = { id: 'chatcmpl-1', choices: [{ index: 0, message: answered }] };
const anthropic = [
  { role: 'user', content: question },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'call_1', name: 'track', input: { parcel: 7 } }],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'late' }] },
    ],
  },
];
const responses = [
  { role: 'user', content: [{ type: 'input_text', text: question }] },
  { type: 'function_call', call_id: 'call_1', name: 'track', arguments: '{"parcel":7}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'late' },
];
const outputItem = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: answer }],
};
const gemini = [
  { role: 'user', parts: [{ text: question }] },
  {
    role: 'model',
    parts: [{ function_call: { id: 'call_1', name: 'track', args: { parcel: 7 } } }],
  },
  {
    role: 'user',
    parts: [{ function_response: { id: 'call_1', name: 'track', response: 'late' } }],
  },
];

/** One conversation as agents and calls of models tell it, each in the attributes of one span. */
const conversations: Record<string, Record<string, unknown>> = {
  'Pydantic AI, with a system’s prompt': {
    'pydantic_ai.all_messages': json([{ role: 'system', parts: [text('Be kind.')] }, ...otel]),
    final_result: answer,
  },
  'Pydantic AI, with instructions': {
    'gen_ai.system_instructions': json([text('Be kind.')]),
    'pydantic_ai.all_messages': json(otel),
    final_result: answer,
  },
  'LangGraph, whose output is its state': {
    'openinference.span.kind': 'CHAIN',
    'input.value': json({ messages: [{ type: 'human', content: question }] }),
    'output.value': json({ messages: langChain, documents: [] }),
  },
  'LangGraph, by Langfuse’s handler': {
    'langfuse.observation.type': 'agent',
    'langfuse.observation.input': json({ messages: [['user', question]] }),
    'langfuse.observation.output': json({ messages: langChain }),
  },
  'a generation of Langfuse': {
    'langfuse.observation.type': 'generation',
    'langfuse.observation.input': json(openAi),
    'langfuse.observation.output': json(answered),
  },
  'a chat model of MLflow': {
    'mlflow.spanType': '"CHAT_MODEL"',
    'mlflow.spanInputs': json({ model: 'gpt-5', messages: openAi, tools: [] }),
    'mlflow.spanOutputs': json(completion),
  },
  'a request and a reply of Anthropic': {
    'input.value': json({ model: 'claude', system: 'Be kind.', messages: anthropic }),
    'output.value': json({ role: 'assistant', content: [{ type: 'text', text: answer }] }),
  },
  'OpenTelemetry, with the result of a tool in a message of the user': {
    'gen_ai.system_instructions': json([text('Be kind.')]),
    'gen_ai.input.messages': json(otel.slice(0, 3)),
    'gen_ai.output.messages': json(otel.slice(3)),
  },
  'OpenAI’s Responses': {
    'input.value': json({ model: 'gpt-5', instructions: 'Be kind.', input: responses }),
    'output.value': json({ output: [{ type: 'reasoning', summary: [] }, outputItem] }),
  },
  'Google’s Agent Development Kit': {
    'gcp.vertex.agent.llm_request': json({
      model: 'gemini',
      config: { system_instruction: 'Be kind.' },
      contents: gemini,
    }),
    'gcp.vertex.agent.llm_response': json({
      content: { role: 'model', parts: [{ text: answer }] },
    }),
  },
};

describe('a conversation', () => {
  test.each(Object.entries(conversations))(
    'has the question of the user as its input, and the answer as its output: %s',
    (_client, attributes) => {
      const span = spanOf({ attributes });
      expect(contentsOf([span], 'trace')).toMatchObject({ input: question, output: answer });
      const { inputMessages, outputMessages, input, output } = readSpan(span);
      expect([...inputMessages, ...outputMessages]).toEqual(whole);
      expect(input).toEqual(inputMessages);
      expect([outputMessages, answer]).toContainEqual(output);
      expect(summarizeTrace([span])).toMatchObject({
        inputPreview: question,
        outputPreview: answer,
      });
    },
  );

  test('of several turns has the question of the last', () => {
    const messages = [...otel, { role: 'user', parts: [text('And now?')] }];
    const attributes = {
      'gen_ai.system_instructions': json([text('Be kind.')]),
      'pydantic_ai.all_messages': json([
        ...messages,
        { role: 'assistant', parts: [text('Here.')] },
      ]),
      final_result: 'Here.',
    };
    expect(contentsOf([spanOf({ attributes })], 'trace')).toMatchObject({
      input: 'And now?',
      output: 'Here.',
    });
  });

  test('that ends with the beginning of an answer keeps it, since the answer is another', () => {
    const begun = { role: 'assistant', content: '{"arrives":' };
    const read = readSpan(
      spanOf({
        attributes: {
          'gen_ai.input.messages': json([asked, begun]),
          'gen_ai.output.messages': json([{ role: 'assistant', content: '"tomorrow"}' }]),
        },
      }),
    );
    expect(read.inputMessages).toEqual([asked, begun]);
    expect(read.outputMessages).toEqual([{ role: 'assistant', content: '"tomorrow"}' }]);
  });

  test('with instructions alone has no question', () => {
    const attributes = {
      'gen_ai.system_instructions': json([text('Be kind.')]),
      'input.value': question,
    };
    expect(contentsOf([spanOf({ attributes })], 'trace')).toMatchObject({ input: question });
  });

  test('tells its instructions once where its first message says them, too', () => {
    const attributes = {
      'gen_ai.system_instructions': json([text('Be kind.')]),
      'gen_ai.input.messages': json([system, asked]),
    };
    expect(readSpan(spanOf({ attributes })).inputMessages).toEqual([system, asked]);
  });

  test('has no messages without content, and no content where there are no others', () => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': json([
        { role: 'system', content: null },
        { role: 'user', content: '' },
        { role: 'tool', tool_call_id: 'call_1', content: null },
      ]),
      'gen_ai.output.messages': json([{ role: 'assistant', content: null }]),
    };
    expect(contentsOf([spanOf({ attributes })], 'trace')).toEqual({
      input: null,
      output: null,
      inputMessages: [],
      outputMessages: [],
      error: null,
    });
  });

  test('keeps what a model thought apart from what it said', () => {
    const said = (parts: unknown[]) =>
      readSpan(
        spanOf({ attributes: { 'output.value': json({ role: 'assistant', content: parts }) } }),
      ).outputMessages;
    const expected = [{ ...answered, reasoning: 'It is late.' }];
    const words = { type: 'text', text: answer };
    expect(said([{ type: 'thinking', thinking: 'It is late.' }, words])).toEqual(expected);
    expect(said([{ type: 'reasoning', text: 'It is late.' }, words])).toEqual(expected);
    expect(said([{ text: 'It is late.', thought: true }, words])).toEqual(expected);
  });

  test('that ends with a call of a tool is told by the call', () => {
    const attributes = { 'gen_ai.output.messages': json(otel.slice(1, 2)) };
    expect(summarizeTrace([spanOf({ attributes })]).outputPreview).toBe('track({"parcel":7})');
  });

  test('is none in the arguments and the result of a tool', () => {
    const given = { messages: [asked] };
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.arguments': given,
    };
    const read = readSpan(spanOf({ attributes }));
    expect(read).toMatchObject({ input: given, inputMessages: [] });
  });

  test('is none in data that only resembles one', () => {
    for (const value of [
      { messages: ['a', 'b'] },
      { role: 'admin', content: 'all' },
      { input: 'a', output: ['b'] },
      [{ type: 'human', name: 'Ada' }],
    ]) {
      const read = readSpan(spanOf({ attributes: { 'input.value': json(value) } }));
      expect(read).toMatchObject({ input: value, inputMessages: [] });
    }
  });
});

describe('a picture in a message', () => {
  const png = 'iVBORw0KGgo=';
  const data = `data:image/png;base64,${png}`;
  test.each<[string, unknown, string]>([
    ['OpenAI', { type: 'image_url', image_url: { url: data } }, data],
    ['OpenAI’s Responses', { type: 'input_image', image_url: data }, data],
    [
      'Anthropic',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      data,
    ],
    [
      'Anthropic, by its address',
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      'https://example.com/a.png',
    ],
    ['Gemini', { inline_data: { mime_type: 'image/png', data: png } }, data],
    ['the AI SDK', { type: 'file', mediaType: 'image/png', data: png }, data],
    [
      'OpenInference',
      { message_content: { type: 'image', image: { image: { url: data } } } },
      data,
    ],
    [
      'OpenTelemetry',
      { type: 'blob', modality: 'image', mime_type: 'image/png', content: png },
      data,
    ],
    ['Bedrock', { image: { format: 'png', source: { bytes: png } } }, data],
    [
      'Pydantic AI',
      { type: 'image-url', url: 'https://example.com/a.png' },
      'https://example.com/a.png',
    ],
  ])('has one form: %s', (_client, part, url) => {
    const message = { role: 'user', content: [{ type: 'text', text: question }, part] };
    const read = readSpan(spanOf({ attributes: { 'gen_ai.input.messages': json([message]) } }));
    expect(read.inputMessages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: question },
          { type: 'image', url },
        ],
      },
    ]);
  });

  test('leaves another file as it came', () => {
    const part = { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0=' };
    const message = { role: 'user', content: [part] };
    const read = readSpan(spanOf({ attributes: { 'gen_ai.input.messages': json([message]) } }));
    expect(read.inputMessages).toEqual([{ role: 'user', content: [part] }]);
  });
});

describe('the top of a trace', () => {
  const values = (input: string, output: string) => ({
    'input.value': input,
    'output.value': output,
  });
  const inner = spanOf({
    id: 3,
    parent: 2,
    start: 2,
    attributes: { 'gen_ai.operation.name': 'chat', ...values('inner prompt', 'inner answer') },
  });

  test('is the first span whose parent was sent elsewhere', () => {
    const attributes = values('entry question', 'entry answer');
    const entry = spanOf({ id: 2, parent: 9, name: 'POST /answer', start: 1, attributes });
    const other = spanOf({ id: 4, parent: 8, start: 3, attributes: values('other', 'other') });
    const expected = { inputPreview: 'entry question', outputPreview: 'entry answer' };
    expect(summarizeTrace([inner, other, entry])).toMatchObject({
      name: 'POST /answer',
      hasRoot: false,
      ...expected,
    });
    expect(contentsOf([inner, other, entry], 'trace')).toMatchObject({
      input: 'entry question',
      output: 'entry answer',
    });
  });

  test('is none of several calls of a model that have lost it', () => {
    const last = spanOf({
      id: 4,
      parent: 9,
      start: 3,
      attributes: { 'gen_ai.operation.name': 'chat', ...values('last prompt', 'last answer') },
    });
    expect(contentsOf([inner, last], 'trace')).toMatchObject({
      input: 'inner prompt',
      output: 'last answer',
    });
  });

  test('leaves the contents to the calls below it where it has none but an empty object', () => {
    const root = spanOf({ id: 2, attributes: values('{}', '[]') });
    expect(contentsOf([root, inner], 'trace')).toMatchObject({
      input: 'inner prompt',
      output: 'inner answer',
    });
  });
});
