import { type Finding, valueAt } from '../attributes.ts';
import type { SpanSource } from '../family.ts';
import { type Message, messagesOf } from '../messages.ts';

/** Reads the messages in the first of these attributes that has content. */
export const messagesAt =
  (role: string, ...keys: string[]) =>
  ({ attributes }: SpanSource): Finding<Message[]> | undefined => {
    const found = valueAt(attributes, keys);
    const value = found && messagesOf(found.value, role);
    return value && { value, from: found.from };
  };
