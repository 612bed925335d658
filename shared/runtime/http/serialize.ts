import { payloadPlan } from '@assay/contracts/body-shape';
import {
  isPayload,
  isWrittenBefore,
  JsonText,
  type Payload,
  StoredJsonText,
} from '@assay/contracts/payload';
import { writeJson } from '@assay/json/write';
import { z } from 'zod';

type Part = string | Uint8Array | StoredJsonText;

/** Collects a reply: text runs together, payload bytes stay as they are. */
export class ReplyParts {
  readonly parts: Part[] = [];
  #text = '';

  text(text: string): void {
    this.#text += text;
  }

  payload(payload: Payload): void {
    const source = payload instanceof JsonText ? payload.source : payload;
    if (typeof source === 'string') {
      this.#text += source;
      return;
    }
    if (this.#text !== '') this.parts.push(this.#text);
    this.#text = '';
    this.parts.push(source);
  }

  finish(): Part[] {
    if (this.#text !== '') this.parts.push(this.#text);
    this.#text = '';
    return this.parts;
  }
}

type Write = (value: never, out: ReplyParts) => void;

/**
 * Makes the serializer of a reply schema. It writes only the fields that the contract declares, so
 * that nothing of the inside leaks, and copies payloads as bytes. A value that does not fit its
 * schema is a fault of ours and throws.
 */
export function compileSerializer(schema: z.ZodType): (value: unknown) => Part[] {
  const write = compile(schema) as (value: unknown, out: ReplyParts) => void;
  return (value) => {
    const out = new ReplyParts();
    write(value, out);
    return out.finish();
  };
}

/** A reply's bytes: one buffer, or a stream when a part is too large to hold many of. */
export function replyBody(parts: Part[]): string | Buffer | AsyncIterable<Uint8Array> {
  if (parts.length === 1 && typeof parts[0] === 'string') return parts[0];
  if (!parts.some((part) => part instanceof StoredJsonText))
    return joined(parts as (string | Uint8Array)[]);
  return streamParts(parts);
}

/**
 * All in one piece of memory: a page has hundreds of small parts, and a buffer for each would cost
 * more than its bytes.
 */
function joined(parts: (string | Uint8Array)[]): Buffer {
  const lengths = parts.map((part) =>
    typeof part === 'string' ? Buffer.byteLength(part) : part.length,
  );
  const whole = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, part] of parts.entries()) {
    if (typeof part === 'string') whole.write(part, at);
    else whole.set(part, at);
    at += lengths[index]!;
  }
  return whole;
}

async function* streamParts(parts: Part[]): AsyncIterable<Uint8Array> {
  for (const part of parts) {
    if (part instanceof StoredJsonText) yield* part.read();
    else yield toBytes(part);
  }
}

const toBytes = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? Buffer.from(part) : part;

function compile(schema: z.ZodType): Write {
  if (isPayload(schema) || isWrittenBefore(schema))
    return (value: Payload, out) => out.payload(value);
  if (schema instanceof z.ZodObject) return compileObject(schema);
  if (schema instanceof z.ZodArray) return compileArray(compile(schema.element as z.ZodType));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return compileNullable(compile(schema.unwrap() as z.ZodType));
  if (schema instanceof z.ZodDiscriminatedUnion && payloadPlan(schema)) return compileUnion(schema);
  return (value, out) => out.text(toJson(value));
}

function toJson(value: unknown): string {
  const text = typeof value === 'object' ? writeJson(value) : JSON.stringify(value);
  if (text === undefined) throw new Error('A reply lacks a value that its contract declares.');
  return text;
}

function compileObject(schema: z.ZodObject): Write {
  const members = Object.entries(schema.shape).map(([key, member]) => ({
    key,
    label: `${JSON.stringify(key)}:`,
    write: compile(member as z.ZodType) as (value: unknown, out: ReplyParts) => void,
    optional: member instanceof z.ZodOptional,
  }));
  return (value: Record<string, unknown>, out) => {
    let separator = '{';
    for (const { key, label, write, optional } of members) {
      const member = value[key];
      if (member === undefined && optional) continue;
      out.text(separator + label);
      write(member, out);
      separator = ',';
    }
    out.text(separator === '{' ? '{}' : '}');
  };
}

/** Only unions that hold payloads: all others are written as they are. */
function compileUnion(schema: z.ZodDiscriminatedUnion): Write {
  const { discriminator } = schema.def;
  const writers = new Map(
    schema.options.flatMap((option) => {
      const write = compile(option as z.ZodType);
      return [...(option._zod.propValues![discriminator] ?? [])].map((word) => [word, write]);
    }),
  );
  return (value: Record<string, unknown>, out) => {
    const write = writers.get(value[discriminator] as string);
    if (!write) throw new Error(`A reply is of no shape that its contract declares.`);
    write(value as never, out);
  };
}

function compileArray(write: Write): Write {
  return (values: never[], out) => {
    out.text('[');
    for (const [index, value] of values.entries()) {
      if (index > 0) out.text(',');
      write(value, out);
    }
    out.text(']');
  };
}

const compileNullable =
  (write: Write): Write =>
  (value, out) =>
    value === null ? out.text('null') : write(value, out);
