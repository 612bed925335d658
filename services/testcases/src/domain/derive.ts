import { JsonText } from '@assay/contracts/payload';
import { type Span, scanMembers } from '@assay/runtime/json-scan';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const none = JsonText.of({});

/** The members of the data that are inputs and expected under a mapping: in the data's order, keys and values as they were sent. */
export function deriveRoles(
  data: Uint8Array,
  { inputs, expected }: { inputs: ReadonlySet<string>; expected: ReadonlySet<string> },
): { inputs: JsonText; expected: JsonText } {
  const members = scanMembers(data, 0);
  return { inputs: pick(data, members, inputs), expected: pick(data, members, expected) };
}

function pick(data: Uint8Array, members: Map<string, Span>, keys: ReadonlySet<string>): JsonText {
  const parts: Uint8Array[] = [];
  for (const [key, { start, end }] of members) {
    if (!keys.has(key)) continue;
    parts.push(parts.length === 0 ? openBrace : comma, data.subarray(startOfKey(data, start), end));
  }
  return parts.length === 0 ? none : new JsonText(Buffer.concat([...parts, closeBrace]));
}

const openBrace = Buffer.from('{');
const comma = Buffer.from(',');
const closeBrace = Buffer.from('}');

/** Where the key of the value at `valueAt` starts. Inside a key a quote has a backslash before it, and before a key stands none. */
function startOfKey(data: Uint8Array, valueAt: number): number {
  let at = valueAt - 1;
  while (data[at] !== colon) at--;
  while (data[at] !== quote) at--;
  at--;
  while (data[at] !== quote || data[at - 1] === backslash) at--;
  return at;
}
