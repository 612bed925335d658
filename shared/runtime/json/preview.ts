import { JsonText, type Payload } from '@assay/contracts/payload';
import type { Preview, PreviewRequest } from '@assay/contracts/preview';
import { parseJson } from '@assay/json/parse';
import { pointerSegments, pointerTo, valueAt } from '@assay/json/pointer';
import { writeJson } from '@assay/json/write';

/** The longest character of UTF-8, in bytes. */
const characterBytesMax = 4;
/** Payloads over this size are not parsed for the values in them. */
const parsedBytesMax = 256 * 1024;

/** An item whose payloads may be previews, with those of the values in them. */
type WithPreviews<Item> = Item & { fields?: Record<string, Preview> };

/**
 * Returns an item with the beginning of each of these payloads in place of the whole, and with the
 * values that the request points to; the item itself where the request wants it whole. Of a payload
 * that is stored in pieces it reads the first only.
 */
export async function withPreviews<
  Item extends Record<Name, Payload>,
  const Name extends keyof Item & string,
>(
  item: Item,
  names: readonly Name[],
  request: PreviewRequest | undefined,
): Promise<WithPreviews<Item>> {
  if (!request) return item;
  const { characters, pointers } = request;
  const shown: [Name, JsonText][] = [];
  for (const name of names) shown.push([name, await previewOf(item[name], characters)]);
  const fields = pointers.length > 0 ? { fields: fieldsOf(item, names, pointers, characters) } : {};
  return { ...item, ...fields, ...Object.fromEntries(shown) } as WithPreviews<Item>;
}

async function previewOf(payload: Payload, characters: number): Promise<JsonText> {
  const head =
    payload instanceof JsonText ? payload.bytes : (payload.head ?? (await firstOf(payload.read())));
  const byteLength = payload instanceof JsonText ? head.length : payload.byteLength;
  // A character that is cut at the end is left out.
  const text = new TextDecoder().decode(head.subarray(0, characters * characterBytesMax), {
    stream: true,
  });
  return JsonText.of(cut(text, byteLength, characters));
}

async function firstOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  for await (const piece of pieces) return piece;
  return new Uint8Array();
}

function cut(text: string, byteLength: number, characters: number): Preview {
  let end = Math.min(text.length, characters);
  // Not between the halves of a surrogate pair.
  if (end > 0 && end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end -= 1;
  const shown = text.slice(0, end);
  return { text: shown, bytes: byteLength, isCut: Buffer.byteLength(shown) < byteLength };
}

function fieldsOf<Name extends string>(
  item: Record<Name, Payload>,
  names: readonly Name[],
  pointers: string[],
  characters: number,
): Record<string, Preview> {
  const parsed = new Map<Name, unknown>();
  const fields: [string, Preview][] = [];
  for (const pointer of pointers) {
    const [first, ...rest] = pointerSegments(pointer);
    const name = names.find((one) => one === first);
    const payload = name && item[name];
    if (!(payload instanceof JsonText) || payload.bytes.length > parsedBytesMax) continue;
    if (!parsed.has(name!)) parsed.set(name!, parseJson(payload.toString()));
    const value = valueAt({ root: parsed.get(name!), pointer: pointerTo(rest) });
    if (value !== undefined) fields.push([pointer, valuePreview(value, characters)]);
  }
  return Object.fromEntries(fields);
}

function valuePreview(value: unknown, characters: number): Preview {
  const json = writeJson(value);
  const text = typeof value === 'string' ? value : json;
  const { text: shown } = cut(text, 0, characters);
  return { text: shown, bytes: Buffer.byteLength(json), isCut: shown.length < text.length };
}
