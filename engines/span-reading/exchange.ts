import { type Finding, firstWithContent, noted } from './attributes.ts';
import { families, firstSaid } from './families.ts';
import type { Reader, SpanOperation, SpanSource } from './family.ts';
import { messagesWithin } from './message-lists.ts';
import { type Message, messageText } from './messages.ts';
import { cutTurn } from './turn.ts';

/** The input and output of a span. */
export interface Exchange {
  /** Undefined where nothing says. */
  input: unknown;
  output: unknown;
  inputMessages: Message[];
  outputMessages: Message[];
  /** The attribute or event of which each of these was read. */
  from: Record<string, string>;
}

type Side = 'input' | 'output';
type MessageReader = (reader: Reader<Message[]> | undefined) => Finding<Message[]> | undefined;

/** One side of a span: a value, and the messages that it is or that stand beside it. */
interface SideReading {
  value: Finding<unknown> | undefined;
  messages: Finding<Message[]> | undefined;
  /** Are the messages the value, or found in it? */
  isMessages: boolean;
}

/** Operations whose input and output are values, whatever they look like. */
const withoutConversation = new Set<SpanOperation | null>(['tool', 'retrieval', 'embedding']);

/**
 * Reads the two sides of a span: finds the conversation, whichever families tell it, and cuts it after the last
 * message of the user. Each side is of the first family that has content there.
 */
export function readExchange(source: SpanSource, operation: SpanOperation | null): Exchange {
  // An input or an output is often its messages, which are read once.
  const known = new Map<Reader<Message[]>, Finding<Message[]> | undefined>();
  const messagesBy: MessageReader = (reader) => {
    if (reader && !known.has(reader)) known.set(reader, reader(source));
    return reader && known.get(reader);
  };
  const isConversation = !withoutConversation.has(operation);
  const given = readSide(source, 'input', { messagesBy, isConversation });
  const answered = readSide(source, 'output', { messagesBy, isConversation });
  const instructions = firstSaid((family) => messagesBy(family.instructions));
  const from: Record<string, string> = {};
  noted(from, 'input', given.value ?? instructions);
  noted(from, 'output', answered.value);
  noted(from, 'inputMessages', given.messages ?? instructions);
  noted(from, 'outputMessages', answered.messages);
  const turn = cutTurn(
    { given: given.messages?.value ?? [], answered: answered.messages?.value ?? [] },
    answered.messages ? undefined : answered.value?.value,
  );
  if (turn.answered.length > 0 && !answered.messages && given.messages)
    from.outputMessages = given.messages.from;
  const inputMessages = instructed(instructions?.value, turn.given);
  return {
    input: sideOf(given, inputMessages),
    output: sideOf(answered, turn.answered),
    inputMessages,
    outputMessages: turn.answered,
    from,
  };
}

function readSide(
  source: SpanSource,
  side: Side,
  { messagesBy, isConversation }: { messagesBy: MessageReader; isConversation: boolean },
): SideReading {
  const value = firstWithContent(valuesOf(source, side, messagesBy));
  const messages = firstSaid((family) => messagesBy(family[`${side}Messages`]));
  const isMessages = value !== undefined && value.value === messages?.value;
  if (messages || !value || !isConversation) return { value, messages, isMessages };
  const within = messagesWithin(value.value, side === 'input' ? 'user' : 'assistant');
  return within
    ? { value, messages: { value: within, from: value.from }, isMessages: true }
    : { value, messages, isMessages };
}

/** The findings of the families, read as long as somebody asks. */
function* valuesOf(source: SpanSource, side: Side, messagesBy: MessageReader) {
  for (const family of families) {
    const ofFamily = () => messagesBy(family[`${side}Messages`]);
    const read = family[side];
    yield read ? read(source, ofFamily) : ofFamily();
  }
}

/** Messages that are the value, or of which nothing else is one, are the value as they were cut. */
function sideOf({ value, isMessages }: SideReading, messages: Message[]): unknown {
  if (value && !isMessages) return value.value;
  return messages.length > 0 ? messages : value?.value;
}

/** The instructions stand before the messages, unless these begin with them. */
function instructed(instructions: Message[] | undefined, messages: Message[]): Message[] {
  if (!instructions) return messages;
  const [first] = messages;
  const isSaid =
    first?.role === 'system' && instructions.some((one) => messageText(one) === messageText(first));
  return isSaid ? messages : [...instructions, ...messages];
}
