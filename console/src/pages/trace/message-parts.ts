import { parseByValue } from '@assay/json/parse';
import { indentedJson } from '../../text/json.ts';

/** One part of a message, for reading; the text of a picture is its address. */
export interface MessagePart {
  kind: 'text' | 'json' | 'picture';
  text: string;
}

/**
 * The parts of a message's content. Each instrumentation has a shape of its own for a text; whatever
 * is no text is shown as the JSON it is.
 */
export function partsOf(content: unknown): MessagePart[] {
  if (content === null || content === undefined || content === '') return [];
  if (!Array.isArray(content)) return [partOf(content)];
  return content.map(partOf);
}

function partOf(part: unknown): MessagePart {
  const address = pictureIn(part);
  if (address !== undefined) return { kind: 'picture', text: address };
  const text = typeof part === 'string' ? part : textIn(part);
  return text === undefined ? { kind: 'json', text: indentedJson(part) } : { kind: 'text', text };
}

/** `{ type: 'image', url }`, as the API gives the pictures of all instrumentations. */
function pictureIn(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  const { type, url } = part as Record<string, unknown>;
  return type === 'image' && typeof url === 'string' ? url : undefined;
}

/** `{ type: 'text', text }`, or `content` in its place as in OpenTelemetry; nothing else beside them. */
function textIn(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  const { type = 'text', text, content, ...rest } = part as Record<string, unknown>;
  if (type !== 'text' || Object.keys(rest).length > 0) return undefined;
  const [only, ...others] = [text, content].filter((value) => value !== undefined);
  return others.length === 0 && typeof only === 'string' ? only : undefined;
}

/** Arguments of a tool call, indented where they are JSON, also where that is in a text. */
export function argumentsText(given: unknown): string {
  if (typeof given !== 'string') return given === undefined ? '' : indentedJson(given);
  try {
    return indentedJson(parseByValue(given));
  } catch {
    return given;
  }
}
