import { isObject } from '@assay/json/value';
import { type Finding, unflattened } from '../attributes.ts';
import type { SpanSource } from '../family.ts';
import { type Message, messagesOf } from '../messages.ts';

/** Reads messages that stand in an attribute for each of their members, such as `<prefix>.0.role`. */
export const flattenedMessages =
  (prefix: string, role: string) =>
  ({ attributes }: SpanSource): Finding<Message[]> | undefined => {
    const found = unflattened(attributes, prefix);
    const value = found && messagesOf(listOf(found.value), role);
    return value && { value, from: found.from };
  };

/** Another family may have an attribute below the same prefix, such as `gen_ai.prompt.messages`. */
const listOf = (members: unknown): unknown =>
  isObject(members)
    ? Object.entries(members).flatMap(([name, member]) => (/^\d+$/.test(name) ? [member] : []))
    : members;
