import type { SpanEvent } from '@assay/otlp/span';
import { type Finding, parsed, valueAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { type Message, messagesOf } from '../messages.ts';
import { genAiOperations } from './gen-ai.ts';

/** Roles by the events in which their messages stand. */
const inputEvents: Record<string, string> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
};
const choiceEvent = 'gen_ai.choice';

function messagesIn(
  { events }: SpanSource,
  roleOf: (name: string) => string | undefined,
): Finding<Message[]> | undefined {
  let from: string | undefined;
  const value = events.toSorted(byTime).flatMap(({ name, attributes }) => {
    const role = roleOf(name);
    if (role === undefined) return [];
    const fields = Object.fromEntries(
      Array.from(attributes, ([key, given]) => [
        key.replace(/^gen_ai\.event\./, ''),
        parsed(given),
      ]),
    );
    const messages = messagesOf({ role, ...fields, id: fields.id }, role) ?? [];
    if (messages.length > 0) from ??= name;
    return messages.map((message) =>
      role === 'tool' && typeof fields.id === 'string'
        ? { ...message, toolCallId: fields.id }
        : message,
    );
  });
  return from === undefined ? undefined : { value, from };
}

/** Events that came as log records have the order in which they came. */
const byTime = ({ time: one }: SpanEvent, { time: other }: SpanEvent): number =>
  Number(one - other);

/** Still earlier, the whole text stood in one attribute of an event. */
function contentIn(
  { events }: SpanSource,
  { event, attribute, role }: { event: string; attribute: string; role: string },
): Finding<Message[]> | undefined {
  const attributes = events.find(({ name }) => name === event)?.attributes;
  const found = attributes && valueAt(attributes, [attribute]);
  const value = found && messagesOf(found.value, role);
  return value && { value, from: event };
}

/** OpenTelemetry's conventions for generative AI up to 1.36, which many still send. */
export const genAiEarlier: Family = {
  operation: { attribute: 'gen_ai.operation.name', names: genAiOperations },
  provider: ['gen_ai.system'],
  inputMessages: (source) =>
    messagesIn(source, (name) =>
      Object.hasOwn(inputEvents, name) ? inputEvents[name] : undefined,
    ) ??
    contentIn(source, { event: 'gen_ai.content.prompt', attribute: 'gen_ai.prompt', role: 'user' }),
  outputMessages: (source) =>
    messagesIn(source, (name) => (name === choiceEvent ? 'assistant' : undefined)) ??
    contentIn(source, {
      event: 'gen_ai.content.completion',
      attribute: 'gen_ai.completion',
      role: 'assistant',
    }),
  inputTokens: ['gen_ai.usage.prompt_tokens'],
  outputTokens: ['gen_ai.usage.completion_tokens'],
};
