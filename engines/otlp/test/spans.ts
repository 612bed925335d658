import fc from 'fast-check';
import { writeRequest } from '../cut-by-trace.ts';
import { writeResource, writeScope, writeSpan } from '../protobuf/write.ts';
import type { Attributes, ResourceSpans, Span, Value } from '../span.ts';

/** Values of attributes, of every kind and within each other. */
const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value; attributes: Attributes }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(undefined),
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double(),
    fc.uint8Array(),
    fc.array(tie('value')),
    tie('attributes'),
  ),
  attributes: fc
    .array(fc.tuple(fc.string({ unit: 'grapheme' }), tie('value')))
    .map((entries) => new Map(entries)),
})).value;

const attributes: fc.Arbitrary<Attributes> = fc
  .array(fc.tuple(fc.string({ unit: 'grapheme' }), value), { maxLength: 5 })
  .map((entries) => new Map(entries));

const id = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const time = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const text = fc.string({ unit: 'grapheme' });

export const span: fc.Arbitrary<Span> = fc.record({
  // Few traces, so that spans of a request share theirs.
  traceId: fc.constantFrom(1, 2, 3).map((byte) => new Uint8Array(16).fill(byte)),
  spanId: id(8),
  parentSpanId: fc.oneof(id(8), fc.constant(new Uint8Array())),
  name: text,
  kind: fc.nat({ max: 5 }),
  start: time,
  end: time,
  attributes,
  events: fc.array(fc.record({ time, name: text, attributes }), { maxLength: 2 }),
  links: fc.array(fc.record({ traceId: id(16), spanId: id(8), attributes }), { maxLength: 2 }),
  status: fc.record({ code: fc.nat({ max: 2 }), message: text }),
});

/** A request, with the messages of its parts. */
export const batches: fc.Arbitrary<ResourceSpans[]> = fc.array(
  fc
    .record({
      resource: fc.record({ attributes }),
      schemaUrl: text,
      scopes: fc.array(
        fc
          .record({
            scope: fc.record({ name: text, version: text, attributes }),
            schemaUrl: text,
            spans: fc.array(
              span.map((span) => ({ span, bytes: writeSpan(span) })),
              { maxLength: 4 },
            ),
          })
          .map((own) => ({ ...own, scopeBytes: writeScope(own.scope) })),
        { maxLength: 3 },
      ),
    })
    .map((batch) => ({ ...batch, resourceBytes: writeResource(batch.resource) })),
  { maxLength: 3 },
);

/** The request as protobuf. */
export const bytesOf = writeRequest;

/** The request as JSON; `form` chooses between the two ways to write integers and enumerations. */
export function jsonOf(batches: ResourceSpans[], form: 'texts' | 'numbers' = 'texts'): string {
  const integer = (number: bigint) =>
    form === 'numbers' && BigInt(Number(number)) === number ? Number(number) : String(number);
  const enumerated = (names: string[], index: number) =>
    form === 'numbers' ? index : names[index];
  const hex = (id: Uint8Array) => Buffer.from(id).toString('hex');
  const anyValue = (value: Value): unknown => {
    if (value === undefined) return {};
    if (typeof value === 'string') return { stringValue: value };
    if (typeof value === 'boolean') return { boolValue: value };
    if (typeof value === 'bigint') return { intValue: integer(value) };
    if (typeof value === 'number')
      return {
        doubleValue: Number.isFinite(value) && !Object.is(value, -0) ? value : doubleText(value),
      };
    if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') };
    if (value instanceof Map) return { kvlistValue: { values: pairs(value) } };
    return { arrayValue: { values: value.map(anyValue) } };
  };
  const doubleText = (value: number) => (Object.is(value, -0) ? '-0' : String(value));
  const pairs = (attributes: Attributes) =>
    Array.from(attributes, ([key, value]) => ({ key, value: anyValue(value) }));
  const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
  return JSON.stringify({
    resourceSpans: batches.map(({ resource, schemaUrl, scopes }) => ({
      resource: { attributes: pairs(resource.attributes) },
      schemaUrl,
      scopeSpans: scopes.map(({ scope, schemaUrl, spans }) => ({
        scope: { name: scope.name, version: scope.version, attributes: pairs(scope.attributes) },
        schemaUrl,
        spans: spans.map(({ span }) => ({
          traceId: hex(span.traceId),
          spanId: hex(span.spanId),
          parentSpanId: hex(span.parentSpanId),
          name: span.name,
          kind: enumerated(
            kinds.map((name) => `SPAN_KIND_${name}`),
            span.kind,
          ),
          startTimeUnixNano: integer(span.start),
          endTimeUnixNano: integer(span.end),
          attributes: pairs(span.attributes),
          events: span.events.map(({ time, name, attributes }) => ({
            timeUnixNano: integer(time),
            name,
            attributes: pairs(attributes),
          })),
          links: span.links.map(({ traceId, spanId, attributes }) => ({
            traceId: hex(traceId),
            spanId: hex(spanId),
            attributes: pairs(attributes),
          })),
          status: {
            code: enumerated(
              ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'],
              span.status.code,
            ),
            message: span.status.message,
          },
        })),
      })),
    })),
  });
}
