import { isObject } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import { type Finding, firstWithContent, jsonAt, textAt, valueAt } from '../attributes.ts';
import { hasContent } from '../content.ts';
import type { Family, SpanSource } from '../family.ts';
import { type Message, messagesOf } from '../messages.ts';

function inputMessages({ attributes }: SpanSource): Finding<Message[]> | undefined {
  const found = valueAt(attributes, ['ai.prompt.messages', 'ai.prompt']);
  if (!found) return undefined;
  const prompt = found.value;
  const value = isObject(prompt)
    ? [
        ...messagesIn(prompt.system, 'system'),
        ...messagesIn(prompt.messages, 'user'),
        ...messagesIn(prompt.prompt, 'user'),
      ]
    : messagesIn(prompt, 'user');
  return value.length > 0 ? { value, from: found.from } : undefined;
}

const messagesIn = (value: unknown, role: string): Message[] =>
  value ? (messagesOf(value, role) ?? []) : [];

function outputMessages({ attributes }: SpanSource): Finding<Message[]> | undefined {
  const text = textAt(attributes, ['ai.response.text']);
  const calls = valueAt(attributes, ['ai.response.toolCalls']);
  const object = valueAt(attributes, ['ai.response.object']);
  const found = text ?? firstWithContent([object, calls]);
  if (!found) return undefined;
  const content = text ? text.value : hasContent(object?.value) ? writeJson(object?.value) : null;
  const value = messagesOf(
    { role: 'assistant', content, ...(calls ? { toolCalls: calls.value } : {}) },
    'assistant',
  );
  return value && { value, from: found.from };
}

/** The telemetry of Vercel's AI SDK. */
export const aiSdk: Family = {
  operation: {
    attribute: 'ai.operationId',
    names: {
      'ai.generatetext': 'agent',
      'ai.streamtext': 'agent',
      'ai.generateobject': 'agent',
      'ai.streamobject': 'agent',
      'ai.generatetext.dogenerate': 'chat',
      'ai.streamtext.dostream': 'chat',
      'ai.generateobject.dogenerate': 'chat',
      'ai.streamobject.dostream': 'chat',
      'ai.toolcall': 'tool',
      'ai.embed': 'embedding',
      'ai.embedmany': 'embedding',
      'ai.embed.doembed': 'embedding',
      'ai.embedmany.doembed': 'embedding',
    },
  },
  model: ['ai.response.model', 'ai.model.id'],
  provider: ({ attributes }) => {
    const found = valueAt(attributes, ['ai.model.provider']);
    // `openai.chat`, `google.generative-ai`
    return typeof found?.value === 'string'
      ? { value: found.value.split('.', 1)[0]!, from: found.from }
      : undefined;
  },
  inputMessages,
  outputMessages,
  input: ({ attributes }, messages) =>
    firstWithContent([
      jsonAt(attributes, ['ai.toolCall.args', 'ai.value', 'ai.values']),
      messages(),
    ]),
  output: ({ attributes }, messages) =>
    firstWithContent([
      jsonAt(attributes, ['ai.toolCall.result', 'ai.response.object']),
      messages(),
    ]),
  inputTokens: ['ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens'],
  outputTokens: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
  totalTokens: ['ai.usage.totalTokens'],
  cacheRead: ['ai.usage.cachedInputTokens'],
  reasoning: ['ai.usage.reasoningTokens'],
  responseId: ['ai.response.id'],
  sessionId: ['ai.telemetry.metadata.sessionId', 'ai.telemetry.metadata.session_id'],
  userId: ['ai.telemetry.metadata.userId', 'ai.telemetry.metadata.user_id'],
};
