import { isObject } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import { hasContent } from './content.ts';
import {
  type Part,
  type PartReading,
  readPart,
  type ToolCall,
  textOf,
  toolCallOf,
} from './parts.ts';

/** A message of a conversation, in one shape for all instrumentations. */
export interface Message {
  role: string;
  /** A text; a list of texts, pictures, and parts as they came where it is more; the result of a tool; or null. */
  content: unknown;
  /** The thoughts of a model before it said this. */
  reasoning?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
}

type Members = Record<string, unknown>;

/** Messages of one list that are read. */
const messagesMax = 10_000;

/** Roles by other names, LangChain's types and Gemini's among them. */
const roles: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  AIMessageChunk: 'assistant',
  model: 'assistant',
  developer: 'system',
  function: 'tool',
};

const langChainTypes = new Set(['human', 'ai', 'system', 'tool', 'function', 'AIMessageChunk']);
const knownRoles = new Set(['system', 'user', 'assistant', 'tool', ...Object.keys(roles)]);
const contentMembers = ['content', 'parts', 'contents', 'blocks', '_content', 'tool_calls'];
/** Items of OpenAI's Responses that are no messages, and stand between messages. */
const itemTypes = new Set(['function_call', 'function_call_output', 'reasoning']);

/**
 * Reads messages of any of the shapes in use; undefined where there are none. A message without content is none.
 * `role` is that of messages which name none.
 */
export function messagesOf(value: unknown, role: string): Message[] | undefined {
  // Some clients write JSON for a value that they do not have.
  const list = Array.isArray(value) ? value : value === 'null' ? [] : [value];
  const messages: Message[] = [];
  for (const given of list.slice(0, messagesMax)) {
    const isItem = isObject(given) && isItemOf(given);
    for (const message of messagesIn(given, role)) {
      const before = messages.at(-1);
      // An answer of OpenAI's Responses is cut into items; elsewhere it is one message.
      if (isItem && before && isSameAnswer(before, message))
        messages[messages.length - 1] = joined(before, message);
      else messages.push(message);
    }
  }
  return messages.length > 0 ? messages : undefined;
}

/** Is a value a message beyond doubt, with a role that everybody knows? */
export function isMessage(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length === 2 && knownRoles.has(value[0]) && typeof value[1] === 'string';
  if (!isObject(value)) return false;
  if (isObject(value.message)) return isMessage(value.message);
  if (isItemOf(value)) return true;
  const own = unwrapped(value);
  const role = own.role ?? own._role ?? (langChainTypes.has(own.type as string) ? own.type : '');
  return knownRoles.has(role as string) && contentMembers.some((name) => name in own);
}

const isItemOf = ({ type, role, call_id, summary }: Members): boolean =>
  role === undefined &&
  itemTypes.has(type as string) &&
  (call_id !== undefined || Array.isArray(summary));

const isSameAnswer = (before: Message, { role }: Message): boolean =>
  before.role === 'assistant' && role === 'assistant';

function joined(before: Message, after: Message): Message {
  const toolCalls = [...(before.toolCalls ?? []), ...(after.toolCalls ?? [])];
  return {
    ...before,
    ...after,
    content: after.content ?? before.content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
  };
}

/** Usually one message; that of a user who brings the results of tools is several. */
function messagesIn(given: unknown, role: string): Message[] {
  if (typeof given === 'string') return withContent({ role, content: given });
  if (Array.isArray(given) && isMessage(given))
    return withContent({ role: roleNamed(given[0] as string), content: given[1] });
  if (!isObject(given)) return [];
  // A choice of a completion, or a message in a list that was flattened.
  if (isObject(given.message)) return messagesIn(given.message, role);
  return messagesOfMembers(unwrapped(given), role);
}

/** LangChain writes a message as `{ type, data }`, or as the arguments of its class. */
function unwrapped(given: Members): Members {
  if (isObject(given.data) && langChainTypes.has(given.type as string))
    return { ...given.data, type: given.type };
  const name = Array.isArray(given.id) ? String(given.id.at(-1)) : '';
  const [, kind] = /^(Human|AI|System|Tool|Function)Message(?:Chunk)?$/.exec(name) ?? [];
  return kind && isObject(given.kwargs) ? { ...given.kwargs, type: kind.toLowerCase() } : given;
}

function messagesOfMembers(given: Members, usualRole: string): Message[] {
  const said = given.parts ?? given.contents ?? given.content ?? given._content ?? given.blocks;
  const isItem = isItemOf(given);
  const parts = isItem ? [given] : partsOf(said ?? given.text);
  const readings = parts.map(readPart);
  const callId = textOf(given.tool_call_id ?? given.toolCallId);
  const named = textOf(given.role ?? given._role) ?? typeRole(given.type);
  const role = isItem ? 'assistant' : roleNamed(named ?? usualRole);
  const results = readings.flatMap((reading) =>
    reading.kind === 'result' ? resultMessage(reading) : [],
  );
  const others = readings.filter(({ kind }) => kind !== 'result');
  if (callId !== undefined || (role === 'tool' && results.length === 0)) {
    const content = contentOf(others) ?? results[0]?.content ?? null;
    return content === null
      ? []
      : [{ role: 'tool', content, ...(callId === undefined ? {} : { toolCallId: callId }) }];
  }
  const toolCalls = callsOf(given, others);
  const reasoning = reasoningOf(given, others);
  return [
    ...results,
    ...withContent({
      role,
      content: contentOf(others),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(toolCalls.length > 0 ? { toolCalls } : {}),
    }),
  ];
}

const typeRole = (type: unknown): string | undefined =>
  langChainTypes.has(type as string) ? (type as string) : undefined;

const roleNamed = (name: string): string => (Object.hasOwn(roles, name) ? roles[name]! : name);

function partsOf(said: unknown): unknown[] {
  if (Array.isArray(said)) return said;
  return said === undefined || said === null ? [] : [said];
}

const resultMessage = ({
  callId,
  content,
}: Extract<PartReading, { kind: 'result' }>): Message | [] =>
  content === null
    ? []
    : { role: 'tool', content, ...(callId === undefined ? {} : { toolCallId: callId }) };

/** Parts that are texts alone are one text. */
function contentOf(readings: PartReading[]): unknown {
  const parts = readings.flatMap((reading): unknown[] => {
    if (reading.kind === 'other') return hasContent(reading.part) ? [reading.part] : [];
    if (reading.kind !== 'shown') return [];
    return reading.part.type === 'text' && reading.part.text === '' ? [] : [reading.part];
  });
  if (parts.length === 0) return null;
  const texts = parts.map(textOfPart);
  return texts.every((text) => text !== undefined) ? texts.join('\n') : parts;
}

function textOfPart(part: unknown): string | undefined {
  const shown = part as Part;
  return isObject(part) && shown.type === 'text' ? textOf(shown.text) : undefined;
}

function callsOf(given: Members, readings: PartReading[]): ToolCall[] {
  const more = isObject(given.additional_kwargs) ? given.additional_kwargs : {};
  const listed = [given.tool_calls, given.toolCalls, more.tool_calls].find(
    (list) => Array.isArray(list) && list.length > 0,
  ) as unknown[] | undefined;
  const calls = [
    ...(listed ?? [given.function_call]).flatMap((call) => toolCallOf(call) ?? []),
    ...readings.flatMap((reading) => (reading.kind === 'call' ? [reading.call] : [])),
  ];
  // Some clients tell a call twice, in the list and as a part.
  return [...new Map(calls.map((call) => [call.id ?? writeJson(call), call])).values()];
}

function reasoningOf(given: Members, readings: PartReading[]): string | undefined {
  const texts = readings.flatMap((reading) =>
    reading.kind === 'reasoning' && reading.text !== '' ? [reading.text] : [],
  );
  const text = texts.length > 0 ? texts.join('\n') : textOf(given.reasoning_content);
  return text === '' ? undefined : text;
}

function withContent(message: Message): Message[] {
  const { content, toolCalls, reasoning } = message;
  const isEmpty = content === null || (typeof content === 'string' && content.trim() === '');
  if (!isEmpty) return [message];
  return toolCalls || reasoning ? [{ ...message, content: null }] : [];
}

/** The text of a message, as far as it has one. */
export function messageText({ content }: Message): string | undefined {
  if (typeof content === 'string') return content === '' ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((part) => textOfPart(part) ?? []);
  return texts.length > 0 ? texts.join('\n') : undefined;
}
