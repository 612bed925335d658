import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import type { Attributes, Value } from '@assay/otlp/span';

/** A value of JSON as an attribute: a whole number is an integer, an object has attributes. */
export function attributeOf(value: unknown): Value {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(attributeOf);
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    return attributesOf(value as Record<string, unknown>);
  return value as Value;
}

export const attributesOf = (values: Record<string, unknown>): Attributes =>
  new Map(Object.entries(values).map(([key, value]) => [key, attributeOf(value)]));

interface SpanParts {
  id?: number;
  parent?: number;
  name?: string;
  start?: number;
  end?: number;
  code?: number;
  attributes?: Record<string, unknown>;
  events?: { name: string; attributes: Record<string, unknown> }[];
  resource?: Record<string, unknown>;
  bytes?: number[];
}

function idOf(number: number | undefined): Uint8Array {
  if (number === undefined) return new Uint8Array();
  const id = Buffer.alloc(8);
  id.writeUInt32BE(number, 4);
  return new Uint8Array(id);
}

/** A span with these parts; its start and end are milliseconds. */
export const spanOf = ({
  id = 1,
  parent,
  name = 'span',
  start = 0,
  end = start + 1,
  code = 0,
  attributes = {},
  events = [],
  resource = {},
  bytes = [id],
}: SpanParts): SpanInTrace => ({
  span: {
    traceId: new Uint8Array(16).fill(1),
    spanId: idOf(id),
    parentSpanId: idOf(parent),
    name,
    kind: 3,
    start: BigInt(start) * 1_000_000n,
    end: BigInt(end) * 1_000_000n,
    attributes: attributesOf(attributes),
    events: events.map(({ name, attributes }) => ({
      time: 0n,
      name,
      attributes: attributesOf(attributes),
    })),
    links: [],
    status: { code, message: '' },
  },
  bytes: Uint8Array.from(bytes),
  resource: { attributes: attributesOf(resource) },
  scope: { name: 'test', version: '', attributes: new Map() },
});
