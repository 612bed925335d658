import { isObject } from '@assay/json/value';
import { isMessage, type Message, messagesOf } from './messages.ts';

type Members = Record<string, unknown>;

/**
 * Finds the messages in a request to a model, in its reply, or in the state of an agent; undefined where a value is
 * none of these. `role` is that of messages which name none.
 */
export function messagesWithin(value: unknown, role: string): Message[] | undefined {
  if (Array.isArray(value)) return messagesInList(value, role);
  if (!isObject(value)) return undefined;
  if (isMessage(value)) return messagesOf(value, role);
  for (const find of [ofMessages, ofReply, ofResponses, ofGemini, ofLangChain]) {
    const messages = find(value, role);
    if (messages) return messages;
  }
  return undefined;
}

/** A list of messages, or of one list of messages. */
function messagesInList(given: unknown[], role: string): Message[] | undefined {
  const [first] = given;
  const list = given.length === 1 && Array.isArray(first) && !isMessage(first) ? first : given;
  return list.length > 0 && list.every(isMessage) ? messagesOf(list, role) : undefined;
}

const listed = (value: unknown, role: string): Message[] | undefined =>
  Array.isArray(value) ? messagesInList(value, role) : undefined;

/** The system's prompt that a request has beside its messages. */
function instructed(instructions: unknown, messages: Message[] | undefined): Message[] | undefined {
  if (!messages || instructions === undefined || instructions === null) return messages;
  const own = isObject(instructions) ? instructions : { content: instructions };
  return [...(messagesOf({ ...own, role: 'system' }, 'system') ?? []), ...messages];
}

/** A request to OpenAI or Anthropic, and the state of LangGraph: `{ messages }`. */
const ofMessages = ({ messages, system }: Members, role: string): Message[] | undefined =>
  instructed(system, listed(messages, role));

/** A completion of OpenAI, a reply of Bedrock, of Haystack. */
function ofReply({ choices, output, replies }: Members): Message[] | undefined {
  if (Array.isArray(choices) && choices.length > 0 && choices.every(isObject))
    return messagesOf(choices[0], 'assistant');
  if (isObject(output) && isMessage(output.message)) return messagesOf(output, 'assistant');
  return listed(replies, 'assistant');
}

/** OpenAI's Responses: `{ model, instructions, input }` and `{ output: [items] }`. */
function ofResponses({ model, instructions, input, output }: Members): Message[] | undefined {
  const isAsked = typeof model === 'string' && typeof input === 'string';
  const asked = isAsked ? messagesOf(input, 'user') : listed(input, 'user');
  return instructed(instructions, asked) ?? listed(output, 'assistant');
}

/** Gemini, and the requests to it that Google's Agent Development Kit tells. */
function ofGemini({ contents, candidates, content, ...others }: Members): Message[] | undefined {
  const config = isObject(others.config) ? others.config : others;
  const asked = instructed(
    config.system_instruction ?? config.systemInstruction,
    listed(contents, 'user'),
  );
  const [candidate] = Array.isArray(candidates) ? candidates : [];
  const answered = isObject(candidate) ? candidate.content : content;
  const isAnswer = isObject(answered) && Array.isArray(answered.parts);
  return asked ?? (isAnswer ? messagesOf(answered, 'assistant') : undefined);
}

/** The result of a model of LangChain: `{ generations: [[{ message }]] }`. */
function ofLangChain({ generations }: Members): Message[] | undefined {
  const list = Array.isArray(generations) ? generations.flat() : [];
  const [first] = list;
  if (!isObject(first)) return undefined;
  return messagesOf(isObject(first.message) ? first.message : (first.text ?? ''), 'assistant');
}
