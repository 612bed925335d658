import { pointerSegments } from '@assay/json/pointer';
import { memberText } from '@assay/json-schema/member-text';

/**
 * Returns the value at a JSON Pointer in a testcase's metadata (members that are neither inputs nor
 * expected); null if there is none.
 */
export function metadataText(
  data: Uint8Array,
  { inputs, expected }: { inputs: ReadonlySet<string>; expected: ReadonlySet<string> },
  pointer: string,
): string | null {
  const [key] = pointerSegments(pointer);
  if (key === undefined || inputs.has(key) || expected.has(key)) return null;
  return memberText(data, pointer) ?? null;
}
