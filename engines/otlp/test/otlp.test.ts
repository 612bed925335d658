import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../check-span.ts';
import { cutByTrace, hexOf } from '../cut-by-trace.ts';
import { readSpansOfJson } from '../json/read-spans.ts';
import { readSpans } from '../protobuf/read-spans.ts';
import type { ResourceSpans, Span } from '../span.ts';
import { batches, bytesOf, jsonOf } from './spans.ts';

/** Without what has no spans: nothing of it is kept. */
const filled = (written: ResourceSpans[]): ResourceSpans[] =>
  written
    .map((batch) => ({ ...batch, scopes: batch.scopes.filter(({ spans }) => spans.length > 0) }))
    .filter(({ scopes }) => scopes.length > 0);

describe('a request', () => {
  test('is read from protobuf as it was written', () => {
    fc.assert(
      fc.property(batches, (written) => {
        expect(readSpans(bytesOf(written))).toEqual(filled(written));
      }),
    );
  });

  test.each(['texts', 'numbers'] as const)(
    'is read from JSON as from protobuf, with integers and enumerations as %s',
    (form) => {
      fc.assert(
        fc.property(batches, (written) => {
          expect(readSpansOfJson(jsonOf(written, form))).toEqual(filled(written));
        }),
      );
    },
  );

  test('is read from JSON as other encoders of protobuf write it: names in snake case, ids in base64', () => {
    const inSnakeCase = (name: string) =>
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const inBase64 = (id: unknown) =>
      typeof id === 'string' && [16, 32].includes(id.length)
        ? Buffer.from(id, 'hex').toString('base64')
        : id;
    const rewritten = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(rewritten);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, of]) => [
          inSnakeCase(name),
          /(?:Trace|trace|Span|span)Id$/.test(name) ? inBase64(of) : rewritten(of),
        ]),
      );
    };
    fc.assert(
      fc.property(batches, (written) => {
        const json = JSON.stringify(rewritten(JSON.parse(jsonOf(written))));
        expect(readSpansOfJson(json)).toEqual(filled(written));
      }),
    );
  });

  test('that is cut by its traces has each span once, with its resource and its scope', () => {
    fc.assert(
      fc.property(batches, (written) => {
        const parts = cutByTrace(written);
        const spansOf = (request: typeof written) =>
          request.flatMap(({ resource, scopes }) =>
            scopes.flatMap(({ scope, spans }) =>
              spans.map(({ span }) => ({ resource, scope, span })),
            ),
          );
        expect(new Set(parts.map(({ traceId }) => traceId)).size).toBe(parts.length);
        for (const { traceId, bytes, spans } of parts) {
          const own = spansOf(written).filter(({ span }) => hexOf(span.traceId) === traceId);
          expect(spansOf(readSpans(bytes))).toEqual(own);
          expect(spans.map(({ resource, scope, span }) => ({ resource, scope, span }))).toEqual(
            own,
          );
        }
        const count = parts.reduce((sum, { spans }) => sum + spans.length, 0);
        expect(count).toBe(spansOf(written).length);
      }),
    );
  });

  test('keeps what is not read: a field of a later version stays in the bytes of its span', () => {
    const unknown = Uint8Array.from([0x92, 0x3f, 3, 1, 2, 3]); // field 1010, three bytes
    const traceId = [0x0a, 16, ...Array(16).fill(7)];
    const span = Uint8Array.from([...traceId, ...unknown]);
    const scopeSpans = Uint8Array.from([0x12, span.length, ...span]);
    const resourceSpans = Uint8Array.from([0x12, scopeSpans.length, ...scopeSpans]);
    const [part] = cutByTrace(
      readSpans(Uint8Array.from([0x0a, resourceSpans.length, ...resourceSpans])),
    );
    expect(Buffer.from(part!.bytes).includes(Buffer.from(unknown))).toBe(true);
  });
});

describe('a body that is no request', () => {
  test('is refused in a sentence, or read: whatever the bytes are, nothing else comes of it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readSpans(bytes);
        } catch (error) {
          expect(error).toMatchObject({ name: 'OtlpFailure' });
        }
      }),
      { numRuns: volume(2000) },
    );
  });

  test('is refused where a byte of one is changed, or its end is missing, or is read', () => {
    fc.assert(
      fc.property(
        batches,
        fc.nat(),
        fc.nat({ max: 255 }),
        fc.boolean(),
        (written, at, byte, isCut) => {
          const bytes = bytesOf(written);
          const place = at % Math.max(1, bytes.length);
          const changed = isCut
            ? bytes.slice(0, place)
            : bytes.map((own, index) => (index === place ? byte : own));
          try {
            readSpans(changed);
          } catch (error) {
            expect(error).toMatchObject({ name: 'OtlpFailure' });
          }
        },
      ),
    );
  });

  test('of JSON is refused with its place', () => {
    const failure = (body: unknown) => {
      try {
        readSpansOfJson(typeof body === 'string' ? body : JSON.stringify(body));
      } catch (error) {
        return (error as Error).message;
      }
      return undefined;
    };
    expect(failure('{')).toMatch(/^The body is not JSON: /);
    expect(failure([])).toBe('The body must be an object.');
    expect(failure({ resourceSpans: {} })).toBe('/resourceSpans must be an array.');
    const span = (span: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    const at = '/resourceSpans/0/scopeSpans/0/spans/0';
    expect(failure(span({ startTimeUnixNano: 1.5 }))).toBe(
      `${at}/startTimeUnixNano must be an integer, as a number or as a string of digits.`,
    );
    expect(failure(span({ kind: 'SERVER' }))).toMatch(
      /\/kind must be a number, or one of SPAN_KIND/,
    );
    expect(failure(span({ attributes: [{ key: 'x', value: { boolValue: 'yes' } }] }))).toBe(
      `${at}/attributes/0/value/boolValue must be true or false.`,
    );
  });
});

describe('a value deeper than 32 lists refuses the spans that have it, and no others, before the stack ends', () => {
  const markOf = (read: ResourceSpans[]) =>
    read.flatMap(({ scopes }) =>
      scopes.flatMap(({ spans }) => spans.map(({ isTooDeep = false }) => isTooDeep)),
    );

  test('in JSON', () => {
    const attributesOf = (depth: number) => {
      let value: unknown = { stringValue: 'x' };
      for (let level = 0; level < depth; level++) value = { arrayValue: { values: [value] } };
      return { attributes: [{ key: 'deep', value }] };
    };
    const read = (resource: number, scope: number, ...spans: number[]) =>
      markOf(
        readSpansOfJson(
          JSON.stringify({
            resourceSpans: [
              {
                resource: attributesOf(resource),
                scopeSpans: [{ scope: attributesOf(scope), spans: spans.map(attributesOf) }],
              },
              { scopeSpans: [{ spans: [{}] }] },
            ],
          }),
        ),
      );
    expect(read(32, 32, 32, 33, 1)).toEqual([false, true, false, false]);
    expect(read(33, 0, 0, 0)).toEqual([true, true, false]);
    expect(read(0, 33, 0, 0)).toEqual([true, true, false]);
    expect(read(0, 0, 1000)).toEqual([true, false]);
  });

  test('in protobuf', () => {
    // Each level is a value of one field within the one before; the outermost come first.
    let message = Buffer.from([]);
    while (message.length <= 60_000) {
      const list = Buffer.concat([Buffer.from([0x0a, ...varint(message.length)]), message]);
      message = Buffer.concat([Buffer.from([0x2a, ...varint(list.length)]), list]);
    }
    const wrap = (tag: number, ...inside: Buffer[]) => {
      const all = Buffer.concat(inside);
      return Buffer.concat([Buffer.from([tag, ...varint(all.length)]), all]);
    };
    const attribute = (tag: number) => wrap(tag, wrap(0x12, message));
    const [plainSpan, deepSpan] = [wrap(0x12), wrap(0x12, attribute(0x4a))];
    const read = (...parts: Buffer[]) => markOf(readSpans(wrap(0x0a, ...parts)));
    expect(read(wrap(0x12, plainSpan, deepSpan, plainSpan))).toEqual([false, true, false]);
    expect(read(wrap(0x12, plainSpan), wrap(0x0a, attribute(0x0a)))).toEqual([true]);
    const scope = wrap(0x0a, attribute(0x1a));
    expect(read(wrap(0x12, plainSpan, scope), wrap(0x12, plainSpan))).toEqual([true, false]);
  });
});

describe('a request of much that is empty', () => {
  const repeated = (bytes: number[], times: number) =>
    Buffer.alloc(bytes.length * times, Buffer.from(bytes));
  const within = (tag: number, inside: Buffer) =>
    Buffer.concat([Buffer.from([tag, ...varint(inside.length)]), inside]);
  const tooMany = 'more than 1,000,000 resources, scopes, spans, events and links';

  test('is refused after a million resources or scopes, in both forms', () => {
    const resources = repeated([0x0a, 0x00], 1_000_001);
    expect(() => readSpans(resources)).toThrow(tooMany);
    const scopes = within(0x0a, repeated([0x12, 0x00], 1_000_000));
    expect(() => readSpans(scopes)).toThrow(tooMany);
    const json = `{"resourceSpans":[${'{},'.repeat(1_000_000)}{}]}`;
    expect(() => readSpansOfJson(json)).toThrow(tooMany);
  });

  test('keeps no resource and no scope that has no span, in both forms', () => {
    expect(readSpans(repeated([0x0a, 0x02, 0x12, 0x00], 1000))).toEqual([]);
    expect(readSpansOfJson('{"resourceSpans":[{},{"scopeSpans":[{},{"spans":[]}]}]}')).toEqual([]);
  });

  test('is refused after four million attributes, with a value or without one', () => {
    const attributes = (count: number) => within(0x0a, within(0x0a, repeated([0x0a, 0x00], count)));
    expect(readSpans(attributes(1000))).toEqual([]);
    expect(() => readSpans(attributes(4_000_001))).toThrow('more than 4,000,000 attributes');
  });

  test('of JSON is refused before more than five million values are built, but not for what its texts have', () => {
    const many = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[${'[],'.repeat(2_500_000)}[]]}]}]}]}`;
    expect(() => readSpansOfJson(many)).toThrow('more than 5,000,000 values of JSON');
    const text = '\\\\,:[{\\"'.repeat(800_000);
    const span = `{"name":"${text}"}`;
    expect(
      readSpansOfJson(`{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`),
    ).toHaveLength(1);
    expect(() => readSpansOfJson(`"${'a'.repeat(6_000_000)}`)).toThrow('The body is not JSON');
  });
});

function varint(value: number): number[] {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

test('a span is refused by itself for its ids, an end before its start, and a clock that is a year off', () => {
  const now = Date.UTC(2026, 10, 25);
  const start = BigInt(now) * 1_000_000n;
  const good: Span = {
    traceId: new Uint8Array(16).fill(1),
    spanId: new Uint8Array(8).fill(1),
    parentSpanId: new Uint8Array(),
    name: 'chat',
    kind: 1,
    start,
    end: start + 5n,
    attributes: new Map(),
    events: [],
    links: [],
    status: { code: 0, message: '' },
  };
  const refusal = (change: Partial<Span>) => refusalOf({ ...good, ...change }, now);
  expect(refusal({})).toBeUndefined();
  expect(refusal({ end: start })).toBeUndefined();
  expect(refusal({ traceId: new Uint8Array(16) })).toContain('trace id');
  expect(refusal({ traceId: new Uint8Array(8).fill(1) })).toContain('16 bytes');
  expect(refusal({ spanId: new Uint8Array(8) })).toContain('span id');
  expect(refusal({ end: start - 1n })).toContain('end before it starts');
  expect(refusal({ start: start / 1000n, end: start })).toContain('within a year');
});
