import { memberText } from '@assay/json-schema/member-text';
import { pointerSegments } from '@assay/json-schema/pointer';

/** What a JSON Pointer finds in a testcase's metadata, the members of its data that are neither inputs nor expected; null where nothing. */
export function metadataText(
  data: Uint8Array,
  { inputs, expected }: { inputs: ReadonlySet<string>; expected: ReadonlySet<string> },
  pointer: string,
): string | null {
  const [key] = pointerSegments(pointer);
  if (key === undefined || inputs.has(key) || expected.has(key)) return null;
  return memberText(data, pointer) ?? null;
}
