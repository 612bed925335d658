import { createHash } from 'node:crypto';
import { pointerSegments, valueAt } from '@assay/json-schema/pointer';
import { scanMembers } from '@assay/runtime/json-scan';

const textCharactersMax = 200;

/**
 * What a JSON Pointer finds in a testcase's metadata, the members of its data that are neither inputs nor expected: JSON text, or the
 * SHA-256 of a long one; null where it finds nothing. Only the member that the pointer starts with is parsed, and only to go into it.
 */
export function metadataText(
  data: Uint8Array,
  { inputs, expected }: { inputs: ReadonlySet<string>; expected: ReadonlySet<string> },
  pointer: string,
): string | null {
  const [key, ...inside] = pointerSegments(pointer);
  if (key === undefined || inputs.has(key) || expected.has(key)) return null;
  const span = scanMembers(data, 0).get(key);
  if (!span) return null;
  const text = new TextDecoder().decode(data.subarray(span.start, span.end));
  return inside.length === 0 ? shortened(text) : insideOf(text, key, pointer);
}

function insideOf(text: string, key: string, pointer: string): string | null {
  const value = valueAt({ root: { [key]: JSON.parse(text) }, pointer });
  return value === undefined ? null : shortened(JSON.stringify(value));
}

const shortened = (text: string): string => (text.length > textCharactersMax ? createHash('sha256').update(text).digest('hex') : text);
