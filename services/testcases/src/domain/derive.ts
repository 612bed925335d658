import { JsonText } from '@assay/contracts/payload';
import {
  backslash,
  closeBrace,
  colon,
  comma,
  openBrace,
  quote,
  type Span,
  scanMembers,
} from '@assay/json/scan';

const none = JsonText.of({});

/**
 * The members of the data that are inputs and expected under a mapping: in the data's order, keys
 * and values as they were sent.
 */
export function deriveRoles(
  data: Uint8Array,
  { inputs, expected }: { inputs: ReadonlySet<string>; expected: ReadonlySet<string> },
): { inputs: JsonText; expected: JsonText } {
  const members = scanMembers(data, 0);
  return { inputs: pick(data, members, inputs), expected: pick(data, members, expected) };
}

function pick(data: Uint8Array, members: Map<string, Span>, keys: ReadonlySet<string>): JsonText {
  const picked: Span[] = [];
  let length = 1;
  for (const [key, { start, end }] of members) {
    if (!keys.has(key)) continue;
    const from = startOfKey(data, start);
    picked.push({ start: from, end });
    length += 1 + end - from;
  }
  if (picked.length === 0) return none;
  const text = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { start, end } of picked) {
    text[at] = at === 0 ? openBrace : comma;
    text.set(data.subarray(start, end), at + 1);
    at += 1 + end - start;
  }
  text[at] = closeBrace;
  return new JsonText(text);
}

/**
 * Where the key of the value at `valueAt` starts. Inside a key a quote has a backslash before it,
 * and before a key stands none.
 */
function startOfKey(data: Uint8Array, valueAt: number): number {
  let at = valueAt - 1;
  while (data[at] !== colon) at--;
  while (data[at] !== quote) at--;
  at--;
  while (data[at] !== quote || data[at - 1] === backslash) at--;
  return at;
}
