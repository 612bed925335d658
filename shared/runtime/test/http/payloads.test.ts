import type { Failure } from '@assay/contracts/failure';
import { JsonText, payload } from '@assay/contracts/payload';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bodyForm, parseBody, parseBodyAside } from '../../http/body.ts';
import { attachPayloads, scanBody } from '../../http/scan-body.ts';

const bytesOf = (text: string) => Buffer.from(text);

/** JSON with spaces between the tokens, as people and programs write it. */
const spaced = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent));

describe('a body with payloads', () => {
  const schema = z.object({
    items: z.array(z.object({ data: payload('Any.'), other: z.unknown(), tags: z.array(z.int()) })),
    more: z.unknown(),
  });
  const form = bodyForm(schema);
  const { plan } = form;
  const scan = (bytes: Buffer, { shape, limits } = form) =>
    attachPayloads(scanBody(bytes, shape, limits), shape, bytes);

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

  test.each([
    ['small', 10],
    ['large', 400_000],
  ])('a byte order mark before a %s body is no part of it', async (_size, length) => {
    const text = JSON.stringify({ items: { data: { a: 'x'.repeat(length) } } });
    const form = bodyForm(z.object({ items: z.object({ data: payload }) }));
    const bodies = [text, `\uFEFF${text}`].map((sent) => parseBodyAside(bytesOf(sent), form));
    const [plain, marked] = await Promise.all(bodies);
    expect(marked).toEqual(plain);
    await expect(async () => parseBodyAside(bytesOf(`\uFEFF\uFEFF${text}`), form)).rejects.toThrow(
      'JSON',
    );
  });

  test('of a large body the payloads stand where those of a small one do, and the rest is the same', () => {
    const member = fc.tuple(
      fc.constantFrom('items', 'data', 'd\\u0061ta', 'other', 'tags', 'x', '__proto__'),
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
          expect(taken(scan(bytes))).toEqual(taken(parseBody(bytes, plan)));
        },
      ),
    );
  });

  /** The value that the schema takes, with its payloads as text, or the places that it refuses. */
  const taken = (value: unknown): unknown => {
    const { data, error } = schema.safeParse(value);
    return error
      ? error.issues.map(({ path, code }) => `${code} ${path.join('/')}`)
      : JSON.parse(
          JSON.stringify(data, (_key, each) =>
            each instanceof JsonText ? `payload ${each}` : each,
          ),
        );
  };

  test('what is no JSON is refused alike, whether in a payload or around it', () => {
    const broken = fc
      .tuple(spaced, spaced, fc.nat(), fc.constantFrom('', ...'{}[]:,"\\ \n1-.eEtu\u0001'))
      .map(([data, other, index, insertion]) => {
        const text = `{"items":[{"data":${data},"other":${other},"tags":[1, -2.5e3],"x":${other}}],"y":${data}}`;
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
        expect(codeOf(() => scan(bytes))).toBe(codeOf(() => parseBody(bytes, plan)));
      }),
      { numRuns: volume(1000) },
    );
  });

  test('a body is as deep as its payload and what that stands in', () => {
    const nested = (levels: number) =>
      bytesOf(`{"items":[{"data":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}]}`);
    for (const parse of [
      (bytes: Buffer) => parseBody(bytes, plan),
      (bytes: Buffer) => scan(bytes),
    ]) {
      expect(() => parse(nested(509))).not.toThrow();
      expect(() => parse(nested(510))).toThrow('nested deeper than 512 levels');
    }
  });
});

describe('a large body', () => {
  const formOf = (schema: z.ZodType) => bodyForm(schema);
  const scan = (schema: z.ZodType, text: string) => {
    const { shape, limits } = formOf(schema);
    return scanBody(bytesOf(text), shape, limits);
  };
  const junk = `[${'{},'.repeat(1_000)}{}]`;

  test('is built as far as its schema goes: other members are left out', () => {
    const schema = z.object({ name: z.string(), tags: z.array(z.string()).max(2).optional() });
    expect(scan(schema, `{"junk":${junk},"name":"a","__proto__":${junk}}`)).toEqual({ name: 'a' });
  });

  test('of members that its schema refuses the names are left, so that they are refused', () => {
    const read = scan(
      z.strictObject({ name: z.string() }),
      `{"name":"a","junk":${junk},"__proto__":1}`,
    );
    expect(Object.entries(read as object)).toEqual([
      ['name', 'a'],
      ['junk', null],
      ['__proto__', null],
    ]);
  });

  test('of a list that is too long one element too many is left, so that it is refused', () => {
    const schema = z.object({ tags: z.array(z.string()).max(2) });
    expect(scan(schema, '{"tags":["a","b","c","d","e"]}')).toEqual({ tags: ['a', 'b', 'c'] });
  });

  test('of a value of another kind than the schema has an empty one is left, so that it is refused', () => {
    const schema = z.object({ name: z.string(), tags: z.array(z.string()), more: z.object({}) });
    expect(scan(schema, `{"name":${junk},"tags":{"a":${junk}},"more":${junk}}`)).toEqual({
      name: [],
      tags: {},
      more: [],
    });
  });

  test('has at most 100,000 values that its schema does not bound', () => {
    const refused = 'The body has more than 100,000 values beside its payloads.';
    const many = (count: number) => `[${Array(count).fill('1').join()}]`;
    const loose = z.object({ any: z.unknown() });
    expect(() => scan(loose, `{"any":${many(99_998)}}`)).not.toThrow();
    expect(() => scan(loose, `{"any":${many(100_001)}}`)).toThrow(refused);
    expect(() => scan(z.object({ list: z.array(z.int()) }), `{"list":${many(100_001)}}`)).toThrow(
      refused,
    );
    const names = Array.from({ length: 100_001 }, (_, index) => `"${index}":1`).join();
    expect(() => scan(z.strictObject({}), `{${names}}`)).toThrow(refused);
    const payloads = z.object({ data: payload('Any.') });
    expect(() => scan(payloads, `{"data":{"a":${many(200_000)}}}`)).not.toThrow();
  });

  test('of one of several shapes has the members of each', () => {
    const schema = z.union([
      z.object({ kind: z.literal('a'), list: z.array(z.int()).max(1) }),
      z.object({ kind: z.literal('b'), list: z.array(z.int()).max(3), data: payload('Any.') }),
      z.string(),
    ]);
    expect(scan(schema, '{"kind":"b","list":[1,2,3],"data":{},"x":1}')).toEqual({
      kind: 'b',
      list: [1, 2, 3],
      data: { start: 34, end: 36, isObject: true },
    });
    expect(scan(schema, '"text"')).toBe('text');
  });

  test('keeps other members where its schema takes them, and its payloads where it takes any value, too', () => {
    const schema = z.looseObject({
      builtin: z.union([z.looseObject({ options: payload('Any.') }), z.unknown()]).optional(),
      tags: z.array(z.string()).max(1).optional(),
    });
    const { shape, plan, limits } = formOf(schema);
    const texts = [
      '{"a":{"b":[1,{}]},"__proto__":1,"builtin":{"options":{"min":1.0},"other":[{}]},"tags":["x"]}',
      '{"builtin":{"options":[1]}}',
      '{"builtin":[{"options":{}}]}',
      '{"builtin":7}',
    ];
    for (const bytes of texts.map(bytesOf)) {
      const scanned = attachPayloads(scanBody(bytes, shape, limits), shape, bytes);
      expect(scanned).toEqual(parseBody(bytes, plan));
    }
    expect(() =>
      scan(schema, `{${Array.from({ length: 100_001 }, (_, at) => `"${at}":1`)}}`),
    ).toThrow('more than 100,000 values');
  });
});
