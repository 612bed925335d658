import { type Finding, valueAt } from '../attributes.ts';
import type { Family, SpanSource } from '../family.ts';
import { type Message, messagesOf } from '../messages.ts';

const messagesAt =
  (key: string, role: string) =>
  ({ attributes }: SpanSource): Finding<Message[]> | undefined => {
    const found = valueAt(attributes, [key]);
    const value = found && messagesOf(found.value, role);
    return value && { value, from: key };
  };

/** Calls of models as the SDKs of Scorecard send them. */
export const scorecard: Family = {
  inputMessages: messagesAt('gen_ai.prompt.messages', 'user'),
  outputMessages: messagesAt('gen_ai.completion.choices', 'assistant'),
};
