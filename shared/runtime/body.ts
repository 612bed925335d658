import { isUtf8 } from 'node:buffer';
import { Failure, invalidAt } from '@assay/contracts/failure';
import { JsonText, type PayloadPlan } from '@assay/contracts/payload';
import { Piscina } from 'piscina';
import { depthOf, type Span, scanElements, scanMembers, skipSpace } from './json-scan.ts';
import { workerFile } from './worker-file.ts';

/** Nesting that a body may have (contract section 1, Limits). */
const depthMax = 512;

/** Bodies above this are parsed in a worker: 15 MiB of small integers hold an event loop for 300 ms. */
export const inlineBytesMax = 256 * 1024;

/** A parsed body in which each planned payload is the place where its text stands; null where the plan's field is no such thing. */
export type ScannedBody = unknown;

/**
 * Parses a JSON body and, where the contract has payloads, leaves each as the bytes that were sent.
 * @throws MALFORMED_JSON for what is no JSON or no UTF-8, VALIDATION_ERROR for nesting deeper than 512.
 */
export function parseBody(bytes: Buffer, plan: PayloadPlan | undefined): unknown {
  return placePayloads(bytes, plan, ({ start, end }, isObject) => (isObject ? new JsonText(bytes.subarray(start, end)) : null));
}

/** The same, off the event loop when the body is large. Takes the body's memory: the caller must not use `bytes` afterwards. */
export async function parseBodyAside(bytes: Buffer, plan: PayloadPlan | undefined): Promise<unknown> {
  if (bytes.length <= inlineBytesMax) return parseBody(bytes, plan);
  const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes : Buffer.from(new Uint8Array(bytes));
  const answer: Parsed = await parsers().run({ bytes: whole.buffer, plan }, { transferList: [whole.buffer as ArrayBuffer] });
  if (answer.failure) throw Failure.fromWire(answer.failure);
  return attachPayloads(answer.scanned, plan, Buffer.from(answer.bytes));
}

/** What the worker answers: a failure as it travels, since thrown ones lose their class on the way. */
export interface Parsed {
  scanned: ScannedBody;
  bytes: ArrayBuffer;
  failure?: ReturnType<Failure['toWire']>;
}

/** The part of the work that grows with the body, for a worker: payloads are the places where they stand. */
export const scanBody = (bytes: Buffer, plan: PayloadPlan | undefined): ScannedBody =>
  placePayloads(bytes, plan, ({ start, end }, isObject): Mark => ({ start, end, isObject }));

interface Mark extends Span {
  isObject: boolean;
}

/** What comes in a payload's place. */
type Place = (span: Span, isObject: boolean) => unknown;

function placePayloads(bytes: Buffer, plan: PayloadPlan | undefined, place: Place): unknown {
  const value = parseJson(bytes);
  // A level takes two bytes at least.
  if (bytes.length > 2 * depthMax && depthOf(bytes) > depthMax) throw invalidAt('', `is nested deeper than ${depthMax} levels`);
  return plan && plan !== 'payload' ? placeInside(value, plan, { bytes, place }, skipSpace(bytes, 0)) : value;
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Failure('MALFORMED_JSON', 'The body is not valid UTF-8.');
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new Failure('MALFORMED_JSON', bytes.length === 0 ? 'The body is empty, but JSON is needed.' : 'The body is not valid JSON.', {
      cause,
    });
  }
}

interface Placing {
  bytes: Buffer;
  place: Place;
}

function placeInside(value: unknown, plan: Exclude<PayloadPlan, 'payload'>, placing: Placing, at: number): unknown {
  if ('elements' in plan) return Array.isArray(value) ? placeInElements(value, plan.elements, placing, at) : value;
  return isObject(value) ? placeInMembers(value, plan.members, placing, at) : value;
}

function placeInMembers(value: Record<string, unknown>, plans: Record<string, PayloadPlan>, placing: Placing, at: number): unknown {
  const spans = scanMembers(placing.bytes, at);
  for (const key in plans) {
    const span = spans.get(key);
    if (span) value[key] = placeAt(value[key], plans[key]!, placing, span);
  }
  return value;
}

const placeInElements = (values: unknown[], plan: PayloadPlan, placing: Placing, at: number): unknown[] =>
  scanElements(placing.bytes, at).map((span, index) => placeAt(values[index], plan, placing, span));

const placeAt = (value: unknown, plan: PayloadPlan, placing: Placing, span: Span): unknown =>
  plan === 'payload' ? placing.place(span, isObject(value)) : placeInside(value, plan, placing, span.start);

/** Puts payloads where a worker found them. */
function attachPayloads(value: unknown, plan: PayloadPlan | undefined, bytes: Buffer): unknown {
  if (!plan || value === undefined) return value;
  if (plan === 'payload') {
    const mark = value as Mark;
    return mark.isObject ? new JsonText(bytes.subarray(mark.start, mark.end)) : null;
  }
  if ('elements' in plan) return Array.isArray(value) ? value.map((element) => attachPayloads(element, plan.elements, bytes)) : value;
  if (!isObject(value)) return value;
  for (const [key, inner] of Object.entries(plan.members))
    if (Object.hasOwn(value, key)) value[key] = attachPayloads(value[key], inner, bytes);
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

let pool: Piscina | undefined;

/** One pool a process, made when the first large body comes; it lets the process end. */
function parsers(): Piscina {
  pool ??= new Piscina({
    ...workerFile({ module: import.meta.url, name: './body-worker' }),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 10_000,
  });
  return pool;
}
