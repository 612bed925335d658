import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pointerSegments, pointerTo, valueAt } from '../pointer.ts';
import {
  eachElement,
  endOfValue,
  isDeeperThan,
  type Span,
  scanMembers,
  skipSpace,
  spanAt,
} from '../scan.ts';

const bytesOf = (text: string) => Buffer.from(text);
const textOf = (bytes: Buffer, { start, end }: { start: number; end: number }) =>
  bytes.subarray(start, end).toString();

/** JSON with spaces between the tokens, as people and programs write it. */
const spaced = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent));

describe('scanning a JSON text', () => {
  test('every member is found where it stands, and of a repeated key the last', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), spaced)), (members) => {
        const text = ` {${members.map(([key, value]) => ` ${JSON.stringify(key)} : ${value} `).join(',')}} `;
        const bytes = bytesOf(text);
        const found = scanMembers(bytes, skipSpace(bytes, 0));
        const parsed = JSON.parse(text) as Record<string, unknown>;
        expect([...found.keys()].sort()).toEqual(Object.keys(parsed).sort());
        for (const [key, span] of found)
          expect(JSON.parse(textOf(bytes, span))).toEqual(parsed[key]);
      }),
    );
  });

  test('every element is found where it stands', () => {
    fc.assert(
      fc.property(fc.array(spaced), (elements) => {
        const bytes = bytesOf(`[ ${elements.join(' , ')} ]`);
        const found: Span[] = [];
        eachElement(bytes, 0, (start) => {
          found.push({ start, end: endOfValue(bytes, start) });
          return found.at(-1)!.end;
        });
        expect(found.map((span) => textOf(bytes, span))).toEqual(elements);
      }),
    );
  });

  test('long texts with escaped quotes end where they end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('\\"', '\\\\', 'x', '\\u0000', '{', ']'), {
          minLength: 40,
          maxLength: 200,
        }),
        (parts) => {
          const value = `"${parts.join('')}"`;
          const bytes = bytesOf(`{"a":${value},"b":1}`);
          expect(textOf(bytes, scanMembers(bytes, 0).get('a')!)).toBe(value);
        },
      ),
    );
  });

  test('depth counts objects and arrays, and no bracket inside a text', () => {
    const text = bytesOf('{"a":[{"b":"[[[["}],"c":[]}');
    expect([2, 3].map((levels) => isDeeperThan(text, levels))).toEqual([true, false]);
    expect(isDeeperThan(bytesOf('"{"'), 0)).toBe(false);
  });
});

test('a pointer leads in bytes where it leads in the value, and nowhere else', () => {
  const pathsOf = (value: unknown): string[][] =>
    typeof value === 'object' && value !== null
      ? [
          [],
          ...Object.entries(value).flatMap(([key, inner]) =>
            pathsOf(inner).map((path) => [key, ...path]),
          ),
        ]
      : [[]];
  fc.assert(
    fc.property(spaced, fc.array(fc.string({ unit: 'binary' })), (text, others) => {
      const bytes = bytesOf(` ${text} `);
      const root: unknown = JSON.parse(text);
      const paths = pathsOf(root);
      for (const path of [
        ...paths,
        ...paths.map((own) => [...own, ...others]),
        ['length'],
        ['-0'],
      ]) {
        const pointer = pointerTo(path);
        const span = spanAt(bytes, pointerSegments(pointer));
        const read: unknown = span && JSON.parse(textOf(bytes, span));
        const value = valueAt({ root, pointer });
        const isLength = Array.isArray(root) && pointer === '/length';
        expect(read).toEqual(isLength ? undefined : value);
      }
    }),
  );
  const bytes = bytesOf('{"a":[1,{"b":12345678901234567890}],"a":[{"b/c":1.0}]}');
  expect(textOf(bytes, spanAt(bytes, ['a', '0', 'b/c'])!)).toBe('1.0');
  for (const nowhere of [['b'], ['a', '1'], ['a', '00'], ['a', 'length'], ['a', '0', 'b/c', 'd']])
    expect(spanAt(bytes, nowhere)).toBeUndefined();
});
