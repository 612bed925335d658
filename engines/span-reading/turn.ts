import { type Message, messageText } from './messages.ts';

/** The two sides of a conversation: all to the last message of the user, and all after it. */
export interface Turn {
  given: Message[];
  answered: Message[];
}

/**
 * Cuts a conversation after the last message of the user. A framework may tell the whole of it on either
 * side: Pydantic AI as the input of an agent, LangGraph as its output.
 */
export function cutTurn({ given, answered }: Turn, output: unknown): Turn {
  if (answered.some(isOfUser)) {
    const whole = cut(answered);
    const isSame = given.length === 0 || lastQuestion(given) === lastQuestion(whole.given);
    return { given: isSame ? longer(given, whole.given) : given, answered: whole.answered };
  }
  const end = given.at(-1);
  if (end?.role !== 'assistant' || end.toolCalls) return { given, answered };
  // A prompt may end with the beginning of the answer: then the answer is another.
  const said = answered.length > 0 ? lastAnswer(answered) : (output ?? messageText(end));
  return said === messageText(end) ? cut(given) : { given, answered };
}

function cut(messages: Message[]): Turn {
  const last = messages.findLastIndex(isOfUser);
  const end = last >= 0 ? last + 1 : messages.findIndex(({ role }) => role !== 'system');
  return { given: messages.slice(0, end), answered: messages.slice(end) };
}

const isOfUser = ({ role }: Message): boolean => role === 'user';

const longer = (one: Message[], other: Message[]): Message[] =>
  other.length > one.length ? other : one;

/** The question of a turn: the text of the last message of the user that has one. */
export function lastQuestion(messages: readonly Message[]): string | undefined {
  const said = messages.findLast(
    (message) => isOfUser(message) && messageText(message) !== undefined,
  );
  return said && messageText(said);
}

/** The answer that ends a turn: the text of the last message of the assistant. */
export function lastAnswer(messages: readonly Message[]): string | undefined {
  const said = messages.findLast(({ role }) => role === 'assistant');
  return said && messageText(said);
}
