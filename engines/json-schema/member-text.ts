import { createHash } from 'node:crypto';
import { pointerSegments, valueAt } from '@assay/json/pointer';
import { scanMembers } from '@assay/json/scan';

/** Longer texts are replaced by their hash. */
const textCharactersMax = 200;

/**
 * Returns the JSON text that a JSON Pointer finds in an object, or the SHA-256 of a long one, to
 * tell values apart. Parses only the member that the pointer starts with, and only if the pointer
 * goes into it.
 */
export function memberText(json: Uint8Array, pointer: string): string | undefined {
  const [key, ...inside] = pointerSegments(pointer);
  const span = key === undefined ? undefined : scanMembers(json, 0).get(key);
  if (!span) return undefined;
  const text = new TextDecoder().decode(json.subarray(span.start, span.end));
  if (inside.length === 0) return shortened(text);
  const value = valueAt({ root: { [key!]: JSON.parse(text) }, pointer });
  return value === undefined ? undefined : shortened(JSON.stringify(value));
}

const shortened = (text: string): string =>
  text.length > textCharactersMax ? createHash('sha256').update(text).digest('hex') : text;
