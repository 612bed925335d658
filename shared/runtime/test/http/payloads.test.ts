import type { Failure } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachPayloads, parseBody, scanBody } from '../../http/body.ts';

const bytesOf = (text: string) => Buffer.from(text);

/** JSON with spaces between the tokens, as people and programs write it. */
const spaced = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent));

describe('a body with payloads', () => {
  const plan = { members: { items: { elements: { members: { data: 'payload' as const } } } } };

  test('each payload is the text that was sent, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 3 })),
        (objects) => {
          const texts = objects.map((object) => JSON.stringify(object, null, 1));
          const body = parseBody(
            bytesOf(`{"items":[${texts.map((text) => `{"data":${text}}`).join(',')}]}`),
            plan,
          ) as {
            items: { data: JsonText }[];
          };
          expect(body.items.map(({ data }) => data.toString())).toEqual(texts);
        },
      ),
    );
  });

  test('what is no object where one is planned is no payload, and other members stay as they are', () => {
    const body = parseBody(
      bytesOf('{"items":[{"data":[1]},{"data":"x"},{},7,{"data":{},"other":{"a":1}}],"more":2}'),
      plan,
    ) as {
      items: object[];
    };
    expect(body).toEqual({
      items: [
        { data: null },
        { data: null },
        {},
        7,
        { data: new JsonText(bytesOf('{}')), other: { a: 1 } },
      ],
      more: 2,
    });
    expect(parseBody(bytesOf('{"items":{"data":{}}}'), plan)).toEqual({ items: { data: {} } });
  });

  test('of a large body the payloads stand where those of a small one do, and the rest is the same', () => {
    const member = fc.tuple(
      fc.constantFrom('items', 'data', 'd\\u0061ta', 'x', '__proto__'),
      spaced,
    );
    const item = fc
      .array(member)
      .map((members) => `{ ${members.map(([key, value]) => `"${key}" : ${value}`).join(' , ')} }`);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(item, spaced)),
        fc.array(fc.oneof(item, spaced)),
        (earlier, items) => {
          const bytes = bytesOf(
            ` { "items" : [ ${earlier.join(' , ')} ], "more" : ${items[0] ?? 1} , "items" : [ ${items.join(' , ')} ] } `,
          );
          const texts = (value: unknown): unknown => {
            if (value instanceof JsonText) return `payload ${value}`;
            if (Array.isArray(value)) return value.map(texts);
            if (typeof value !== 'object' || value === null) return value;
            return Object.entries(value).map(([key, inner]) => [key, texts(inner)]);
          };
          expect(texts(attachPayloads(scanBody(bytes, plan), plan, bytes))).toEqual(
            texts(parseBody(bytes, plan)),
          );
        },
      ),
    );
  });

  test('what is no JSON is refused alike, whether in a payload or around it', () => {
    const broken = fc
      .tuple(spaced, spaced, fc.nat(), fc.constantFrom('', ...'{}[]:,"\\ \n1-.eEtu\u0001'))
      .map(([data, other, index, insertion]) => {
        const text = `{"items":[{"data":${data},"o":${other}}]}`;
        const at = index % text.length;
        return bytesOf(text.slice(0, at) + insertion + text.slice(at + 1));
      });
    const codeOf = (parse: () => unknown) => {
      try {
        parse();
        return 'taken';
      } catch (failure) {
        return (failure as Failure).code;
      }
    };
    fc.assert(
      fc.property(broken, (bytes) => {
        expect(codeOf(() => scanBody(bytes, plan))).toBe(codeOf(() => parseBody(bytes, plan)));
      }),
      { numRuns: volume(1000) },
    );
  });

  test('a body is as deep as its payload and what that stands in', () => {
    const nested = (levels: number) =>
      bytesOf(`{"items":[{"data":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}]}`);
    for (const parse of [parseBody, scanBody]) {
      expect(() => parse(nested(509), plan)).not.toThrow();
      expect(() => parse(nested(510), plan)).toThrow('nested deeper than 512 levels');
    }
  });
});
