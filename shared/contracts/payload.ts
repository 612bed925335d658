import { writeJson } from '@assay/json/write';
import { z } from 'zod';

/**
 * A JSON value kept as the bytes that the client sent, so that no digit, escape or key is lost
 * (contract section 1, Limits). It is only made from text that was checked to be JSON.
 */
export class JsonText {
  /**
   * The JSON as bytes or as text: text that is written into other text need not become bytes first.
   */
  readonly source: Uint8Array | string;

  constructor(source: Uint8Array | string) {
    this.source = source;
  }

  get bytes(): Uint8Array {
    return typeof this.source === 'string' ? new TextEncoder().encode(this.source) : this.source;
  }

  static of(value: unknown): JsonText {
    return new JsonText(writeJson(value));
  }

  get isObject(): boolean {
    return typeof this.source === 'string' ? this.source.startsWith('{') : this.source[0] === 0x7b;
  }

  toString(): string {
    return typeof this.source === 'string' ? this.source : new TextDecoder().decode(this.source);
  }

  parse(): unknown {
    return JSON.parse(this.toString());
  }
}

/**
 * JSON text that is read only when it is written to the client: for payloads too large to hold many
 * of.
 */
export class StoredJsonText {
  readonly byteLength: number;
  readonly read: () => AsyncIterable<Uint8Array>;
  /** The first bytes, where they are known without reading: enough for a preview. */
  readonly head: Uint8Array | undefined;

  constructor(byteLength: number, read: () => AsyncIterable<Uint8Array>, head?: Uint8Array) {
    this.byteLength = byteLength;
    this.read = read;
    this.head = head;
  }
}

export type Payload = JsonText | StoredJsonText;

const payloads = new WeakSet<z.ZodType>();

/**
 * A field whose value is a JSON object that is passed on as text: a handler gets a `JsonText` and
 * replies with a `Payload`. With `bytesMax`, of at most so many bytes as it was sent.
 */
export function payload(description: string, { bytesMax = Number.POSITIVE_INFINITY } = {}) {
  const error = ({ input }: { input?: unknown }) =>
    input instanceof JsonText && input.isObject ? `must have at most ${bytesMax} bytes` : undefined;
  const schema = z
    .custom<JsonText>(
      (value) => value instanceof JsonText && value.isObject && value.bytes.length <= bytesMax,
      { error },
    )
    .meta({
      description,
      override: { type: 'object', additionalProperties: true },
    }) as unknown as z.ZodType<JsonText, Payload>;
  payloads.add(schema);
  return schema;
}

/**
 * A payload of a reply over the bus, where an earlier release declared a record: the declared form
 * stays, and replies are not checked against it.
 */
export function repliedPayload() {
  const schema = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonText, Payload>;
  payloads.add(schema);
  return schema;
}

export const isPayload = (schema: z.ZodType): boolean => payloads.has(schema);

const written = new WeakSet<z.ZodType>();

/**
 * A part of a reply with which the handler replies as JSON text that fits the schema: for what was
 * written before it is asked for. Clients read it as any other part.
 */
export function writtenBefore<Value>(schema: z.ZodType<Value>): z.ZodType<Value, Payload> {
  written.add(schema);
  return schema as z.ZodType<Value, Payload>;
}

export const isWrittenBefore = (schema: z.ZodType): boolean => written.has(schema);
