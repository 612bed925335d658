import { isObject } from '@assay/json/value';
import { parsedText } from './attributes.ts';
import { imageIn } from './images.ts';

/** A call of a tool that a model asks for. */
export interface ToolCall {
  id?: string;
  name: string;
  arguments: unknown;
}

/** A text or a picture of a message, in one form for all instrumentations. */
export type Part = { type: 'text'; text: string } | { type: 'image'; url: string };

/** A part of a message as it was read; `other` has none of the known shapes. */
export type PartReading =
  | { kind: 'shown'; part: Part }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; call: ToolCall }
  | { kind: 'result'; callId: string | undefined; content: unknown }
  | { kind: 'other'; part: unknown };

type Members = Record<string, unknown>;

const textTypes = new Set(['text', 'input_text', 'output_text', 'summary_text', 'refusal']);
const reasoningTypes = new Set(['reasoning', 'thinking']);
const callTypes = new Set(['tool_call', 'tool-call', 'tool_use', 'function_call']);
const resultTypes = new Set([
  'tool_call_response',
  'tool-result',
  'tool_result',
  'function_call_output',
]);

/** Members in which makers put a call or a result that no type tells: Gemini, Bedrock, Haystack. */
const callMembers = ['function_call', 'functionCall', 'toolUse', 'tool_call'];
const resultMembers = ['function_response', 'functionResponse', 'toolResult', 'tool_call_result'];

/** Reads a part of a message in any of the shapes in use. */
export function readPart(given: unknown): PartReading {
  if (typeof given === 'string') return shownText(given);
  if (!isObject(given)) return { kind: 'other', part: given };
  // OpenInference flattens a part as `message_content`.
  const own = isObject(given.message_content) ? given.message_content : given;
  return readMembers(own === given ? own : { ...given, ...own }) ?? { kind: 'other', part: own };
}

function readMembers(part: Members): PartReading | undefined {
  const type = textOf(part.type ?? part.block_type) ?? '';
  if (reasoningTypes.has(type) || part.thought === true) return reasoningIn(part);
  const calling = callTypes.has(type) ? part : objectIn(part, callMembers);
  if (calling) {
    const call = toolCallOf(calling);
    return call && { kind: 'call', call };
  }
  const answering = resultTypes.has(type) ? part : objectIn(part, resultMembers);
  if (answering) return resultIn(answering);
  const url = imageIn(part);
  if (url !== undefined) return { kind: 'shown', part: { type: 'image', url } };
  if (type !== '' && !textTypes.has(type)) return undefined;
  const text = textOf(part.text ?? part.content ?? part.refusal);
  return text === undefined ? undefined : shownText(text);
}

const shownText = (text: string): PartReading => ({ kind: 'shown', part: { type: 'text', text } });

function reasoningIn(part: Members): PartReading {
  const said = part.text ?? part.thinking ?? part.content ?? part.reasoning ?? part.summary;
  // Reasoning that a maker does not show is there without a text.
  return { kind: 'reasoning', text: (Array.isArray(said) ? textsIn(said) : textOf(said)) ?? '' };
}

function resultIn(part: Members): PartReading {
  const origin = isObject(part.origin) ? part.origin : {};
  const callId = textOf(
    part.id ?? part.toolCallId ?? part.tool_use_id ?? part.toolUseId ?? part.call_id ?? origin.id,
  );
  const given = part.response ?? part.result ?? typedValue(part.output) ?? part.content ?? null;
  return { kind: 'result', callId, content: (Array.isArray(given) && textsIn(given)) || given };
}

/** The AI SDK tells by a type what the result of a tool is: `{ type: 'text', value: 'late' }`. */
const typedValue = (output: unknown): unknown =>
  isObject(output) && typeof output.type === 'string' && 'value' in output ? output.value : output;

/** The texts of parts that are texts alone. */
function textsIn(parts: unknown[]): string | undefined {
  const texts = parts.map((part) => {
    const read = readPart(part);
    return read.kind === 'shown' && read.part.type === 'text' ? read.part.text : undefined;
  });
  return texts.length > 0 && texts.every((text) => text !== undefined)
    ? texts.join('\n')
    : undefined;
}

/** Reads a call of a tool in any of the shapes in use; undefined where nothing names the tool. */
export function toolCallOf(given: unknown): ToolCall | undefined {
  if (!isObject(given)) return undefined;
  const call = objectIn(given, ['tool_call', 'function_call']) ?? given;
  const own = isObject(call.function) ? call.function : call;
  const name = textOf(own.name ?? call.toolName ?? call.tool_name);
  if (name === undefined) return undefined;
  const id = textOf(call.call_id ?? call.id ?? call.toolCallId ?? call.toolUseId);
  const said = own.arguments ?? call.input ?? call.args ?? null;
  return {
    ...(id === undefined ? {} : { id }),
    name,
    arguments: typeof said === 'string' ? parsedText(said) : said,
  };
}

function objectIn(members: Members, names: readonly string[]): Members | undefined {
  for (const name of names) {
    const found = members[name];
    if (isObject(found)) return found;
  }
  return undefined;
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
