import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findText,
  type JsonNode,
  memberAt,
  memberWith,
  rootOf,
  scanMembers,
  stringOf,
  textOf,
} from '../src/parts/payload/scan.ts';

const encode = (text: string) => new TextEncoder().encode(text);

/** The value of a node, made of nothing but what the scanner says. */
function parsed(bytes: Uint8Array, node: JsonNode): unknown {
  if (node.kind === 'string') return stringOf(bytes, node).text;
  if (node.kind !== 'object' && node.kind !== 'array') return JSON.parse(textOf(bytes, node));
  const offsets = scanMembers(bytes, node);
  const members = [...offsets.keys()].map((index) => memberAt(bytes, node, offsets, index));
  if (node.kind === 'array') return members.map(({ value }) => parsed(bytes, value));
  // Not by assignment, for which `__proto__` is no ordinary name.
  return Object.fromEntries(
    members.map(({ key, value }) => [stringOf(bytes, key!).text, parsed(bytes, value)]),
  );
}

/** JSON with space wherever it may stand. */
const spaced = (value: unknown, space: string): string =>
  ` ${JSON.stringify(value, undefined, space || undefined)}\n\t`;

describe('the scanner of payloads', () => {
  test('finds in any JSON the value that JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), (value, space) => {
        const bytes = encode(spaced(value, space));
        expect(parsed(bytes, rootOf(bytes))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('reads keys with quotes, brackets, colons and commas', () => {
    const value = { '"': 1, '{[': [], ':': { ',': '}' }, '\\': '\\"', __proto__: 2, '': null };
    const bytes = encode(JSON.stringify(value));
    expect(parsed(bytes, rootOf(bytes))).toEqual(JSON.parse(JSON.stringify(value)));
  });

  test('keeps every digit of a number', () => {
    const bytes = encode('[12345678901234567890.10e+2]');
    const root = rootOf(bytes);
    const { value } = memberAt(bytes, root, scanMembers(bytes, root), 0);
    expect(textOf(bytes, value)).toBe('12345678901234567890.10e+2');
  });

  test('reads a string in pieces that put together are the string', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.boolean(),
        fc.integer({ min: 12, max: 40 }),
        (text, isEscaped, bytesMax) => {
          const json = JSON.stringify(text);
          const bytes = encode(isEscaped ? escapeAll(text) : json);
          const pieces: string[] = [];
          for (let from: number | undefined = 0; from !== undefined; ) {
            const piece = stringOf(bytes, rootOf(bytes), { from, bytesMax });
            pieces.push(piece.text);
            from = piece.next;
          }
          expect(pieces.join('')).toBe(text);
        },
      ),
    );
  });

  test('finds each place of a text, in any case of its letters', () => {
    const bytes = encode('{"a":"Refund, refund","b":"REFUNDED","c":"reFUN"}');
    const places = [...findText(bytes, 'refund')].map((at) =>
      textOf(bytes, { start: at, end: at + 6 }),
    );
    expect(places).toEqual(['Refund', 'refund', 'REFUND']);
  });

  test('finds a text with quotes and line feeds as it stands in JSON', () => {
    const bytes = encode(JSON.stringify({ text: 'He said "no"\nand left' }));
    expect([...findText(bytes, '"no"\nand')]).toHaveLength(1);
    expect([...findText(bytes, '')]).toEqual([]);
  });

  test('tells the member that holds a place', () => {
    const bytes = encode('[10,[20,30],"text"]');
    const root = rootOf(bytes);
    const offsets = scanMembers(bytes, root);
    expect(memberWith(offsets, bytes.indexOf('3'.charCodeAt(0)))).toBe(1);
    expect(memberWith(offsets, bytes.length - 3)).toBe(2);
  });
});

/** A JSON string of nothing but escapes. */
const escapeAll = (text: string): string =>
  `"${[...Array(text.length).keys()]
    .map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')}"`;
