import { describe, expect, test } from 'vitest';
import { conversationOf } from '../conversation.ts';
import { spanOf } from './spans.ts';

const json = JSON.stringify;
const asked = { role: 'user', content: 'Where is my parcel?' };
const calls = {
  role: 'assistant',
  content: null,
  toolCalls: [{ id: 'call_1', name: 'track', arguments: { parcel: 7 } }],
};
const result = { role: 'tool', content: 'late', toolCallId: 'call_1' };
const answered = { role: 'assistant', content: 'It arrives tomorrow.' };

const chat = (id: number, given: unknown[], said: unknown) =>
  spanOf({
    id,
    parent: 1,
    name: 'chat',
    start: id,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt.messages': json(given),
      'gen_ai.completion.choices': json([said]),
    },
  });
const tool = spanOf({
  id: 3,
  parent: 1,
  name: 'track',
  start: 3,
  end: 15,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.call.arguments': { parcel: 7 },
    'gen_ai.tool.call.result': 'late',
  },
});
const step = {
  spanId: '0000000000000003',
  name: 'track',
  kind: 'tool',
  arguments: { parcel: 7 },
  result: 'late',
  error: null,
  startedAt: 3,
  durationMs: 12,
};

describe('the conversation of a trace', () => {
  test('is that of its last call, where the whole tells no messages, with the steps between', () => {
    const trace = [
      spanOf({ attributes: { 'input.value': 'Where is my parcel?' } }),
      chat(2, [asked], calls),
      tool,
      chat(4, [asked, calls, result], answered),
    ];
    expect(conversationOf(trace)).toEqual({
      messages: [asked, calls, result, answered],
      steps: [step],
      isCut: false,
    });
  });

  test('is that of the whole, where it tells messages', () => {
    const attributes = {
      'input.value': json({ messages: [asked] }),
      'output.value': json({ messages: [asked, answered] }),
    };
    const trace = [spanOf({ attributes }), chat(2, [{ role: 'user', content: 'Plan.' }], answered)];
    expect(conversationOf(trace).messages).toEqual([asked, answered]);
  });

  test('is the input and the output, where nothing tells messages', () => {
    const attributes = { 'input.value': '{"parcel":7}', 'output.value': 'late' };
    expect(conversationOf([spanOf({ attributes })]).messages).toEqual([
      { role: 'user', content: { parcel: 7 } },
      { role: 'assistant', content: 'late' },
    ]);
    expect(conversationOf([spanOf({})])).toEqual({ messages: [], steps: [], isCut: false });
  });

  test('says why a step failed', () => {
    const failed = spanOf({
      id: 2,
      parent: 1,
      code: 2,
      attributes: { 'gen_ai.operation.name': 'execute_tool' },
      events: [{ name: 'exception', attributes: { 'exception.message': 'no such parcel' } }],
    });
    expect(conversationOf([spanOf({}), failed]).steps).toMatchObject([{ error: 'no such parcel' }]);
  });

  test('keeps its newest messages where it is too large, and cuts what is long', () => {
    const long = { role: 'user', content: 'x'.repeat(100_000) };
    const many = Array.from({ length: 40 }, () => long);
    const { messages, isCut } = conversationOf([spanOf({}), chat(2, [...many, asked], answered)]);
    expect(isCut).toBe(true);
    expect(messages.slice(-2)).toEqual([asked, answered]);
    expect(messages.length).toBeLessThan(20);
    expect(messages[0]!.content).toMatch(/^x{60000,}…$/);
    expect(Buffer.byteLength(json(messages))).toBeLessThanOrEqual(1024 * 1024);
  });

  test('leaves out the data of a picture that is too large', () => {
    const url = `data:image/png;base64,${'A'.repeat(600_000)}`;
    const picture = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] };
    const { messages, isCut } = conversationOf([spanOf({}), chat(2, [picture], answered)]);
    expect(isCut).toBe(true);
    expect(messages[0]!.content).toEqual([{ type: 'image', url: 'data:image/png;base64,' }]);
  });
});
