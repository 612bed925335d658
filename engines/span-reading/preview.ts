import { isObject } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import { jsonText } from './attributes.ts';
import { cutText } from './labels.ts';
import { type Message, messageText } from './messages.ts';
import type { ToolCall } from './parts.ts';

const charactersMax = 200;
/** As much of a text is looked at, the second where the first has too much white space. */
const lookedAt = [400, 2000];

/** The beginning of a value in one line; null where there is none. */
export function previewOf(value: unknown): string | null {
  const text = textOf(value);
  if (text === undefined) return null;
  let line = '';
  for (const characters of lookedAt)
    if (line.length < charactersMax)
      line = text.slice(0, characters).replaceAll(/\s+/g, ' ').trim();
  return line === '' ? null : cutText(line, charactersMax);
}

/** Messages are told by the last of them that has a text, else by the last tools that are called. */
export function previewOfMessages(messages: readonly Message[]): string | null {
  for (const message of messages.toReversed()) {
    const text = previewOf(messageText(message));
    if (text !== null) return text;
  }
  const calls = messages.findLast(({ toolCalls }) => toolCalls !== undefined)?.toolCalls;
  return calls ? previewOf(calls.map(callText).join(', ')) : null;
}

/** The input or output of a trace in one line; `value` may be the messages themselves. */
export const previewOfContent = (value: unknown, messages: readonly Message[]): string | null =>
  value === messages || value === null ? previewOfMessages(messages) : previewOf(value);

/** A call as code would have it: `track({"parcel":7})`. */
const callText = ({ name, arguments: given }: ToolCall): string =>
  `${name}(${given === null || given === undefined ? '' : jsonText(given)})`;

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  // An object with one text, as `{ "question": "…" }`, is that text.
  if (isObject(value)) {
    const values = Object.values(value);
    if (values.length === 1 && typeof values[0] === 'string') return values[0];
  }
  return writeJson(value);
}
