import { parseJson } from '@assay/json/parse';
import { isObject } from '@assay/json/value';

/** A call of a tool that a model asks for. */
export interface ToolCall {
  id?: string;
  name: string;
  arguments: unknown;
}

/** A message of a conversation, in one shape for all instrumentations. */
export interface Message {
  role: string;
  /** A text, or the parts of the message as they came. */
  content: unknown;
  toolCalls?: ToolCall[];
  toolCallId?: string;
}

/** Messages of one list, and the messages within each other, that are read. */
const messagesMax = 10_000;

/**
 * Reads messages of any of the shapes in use; undefined where there are none. `role` is that of
 * messages which name none.
 */
export function messagesOf(value: unknown, role: string): Message[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const messages = list.slice(0, messagesMax).flatMap((each) => messageOf(each, role) ?? []);
  return messages.length > 0 ? messages : undefined;
}

function messageOf(given: unknown, role: string): Message | undefined {
  if (typeof given === 'string') return { role, content: given };
  if (!isObject(given)) return undefined;
  // A choice of a completion, or a message in a list that was flattened.
  if (isObject(given.message)) return messageOf({ ...given.message }, role);
  const parts = listOf(given.parts ?? given.contents ?? given.content);
  const content = parts ? contentOf(parts) : (given.content ?? given.text ?? null);
  const toolCalls = [
    ...(listOf(given.tool_calls) ?? []),
    ...(listOf(given.toolCalls) ?? []),
    ...(parts ?? []).filter(isToolCallPart),
  ].flatMap((call) => toolCallOf(call) ?? []);
  const toolCallId = textOf(given.tool_call_id ?? given.toolCallId) ?? responseIdOf(parts);
  if (content === null && toolCalls.length === 0 && given.role === undefined) return undefined;
  return {
    role: textOf(given.role) ?? role,
    content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

/** Parts that are texts alone are one text. */
function contentOf(parts: unknown[]): unknown {
  const shown = parts.filter((part) => !isToolCallPart(part));
  const texts = shown.map(partText);
  if (texts.every((text) => text !== undefined))
    return texts.length === 0 ? null : texts.join('\n');
  if (shown.length === 1 && isToolResponse(shown[0])) return responseOf(shown[0]);
  return shown;
}

/** The text of a part, which OpenInference flattens as `message_content`. */
function partText(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  const own = isObject(part) && isObject(part.message_content) ? part.message_content : part;
  if (!isObject(own) || (own.type !== undefined && own.type !== 'text')) return undefined;
  return textOf(own.text ?? own.content);
}

const typeOf = (part: unknown): unknown => (isObject(part) ? part.type : undefined);

const isToolCallPart = (part: unknown): boolean =>
  ['tool_call', 'tool-call', 'tool_use', 'function_call'].includes(typeOf(part) as string);

const isToolResponse = (part: unknown): part is Record<string, unknown> =>
  ['tool_call_response', 'tool-result', 'tool_result'].includes(typeOf(part) as string);

const responseOf = (part: Record<string, unknown>): unknown =>
  part.response ?? part.result ?? outputOf(part.output) ?? part.content ?? null;

/** The AI SDK tells by a type what the result of a tool is: `{ type: 'text', value: 'late' }`. */
const outputOf = (output: unknown): unknown =>
  isObject(output) && typeof output.type === 'string' && 'value' in output ? output.value : output;

function responseIdOf(parts: unknown[] | undefined): string | undefined {
  const part = parts?.find(isToolResponse) as Record<string, unknown> | undefined;
  return part && textOf(part.id ?? part.toolCallId ?? part.tool_use_id);
}

function toolCallOf(given: unknown): ToolCall | undefined {
  if (!isObject(given)) return undefined;
  const call = isObject(given.tool_call) ? given.tool_call : given;
  const own = isObject(call.function) ? call.function : call;
  const name = textOf(own.name ?? call.toolName);
  if (name === undefined) return undefined;
  const id = textOf(call.id ?? call.toolCallId ?? call.call_id);
  return { ...(id === undefined ? {} : { id }), name, arguments: argumentsOf(own, call) };
}

function argumentsOf(own: Record<string, unknown>, call: Record<string, unknown>): unknown {
  const given = own.arguments ?? call.input ?? call.args ?? null;
  if (typeof given !== 'string' || !/^\s*[[{]/.test(given)) return given;
  try {
    return parseJson(given);
  } catch {
    return given;
  }
}

const listOf = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The text of a message, as far as it has one. */
export function messageText({ content }: Message): string | undefined {
  if (typeof content === 'string') return content === '' ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((part) => partText(part) ?? []);
  return texts.length > 0 ? texts.join('\n') : undefined;
}
