import { isUtf8 } from 'node:buffer';
import {
  type BodyShape,
  bodyShape,
  type PayloadPlan,
  payloadPlan,
} from '@assay/contracts/body-shape';
import { Failure } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import {
  eachElement,
  eachMember,
  endOfValue,
  isDeeperThan,
  openBrace,
  openBracket,
  skipSpace,
} from '@assay/json/scan';
import { bodyDepthMax, isObject } from '@assay/json/value';
import type { z } from 'zod';
import { byteOrderMarkBytes, hasByteOrderMark } from '../byte-order-mark.ts';
import { createWorkers, type StoppedTask, type Workers } from '../concurrency/workers.ts';
import { nestedTooDeep, noJson, noUtf8 } from './body-faults.ts';
import { attachPayloads, type ScanLimits, type ScannedBody } from './scan-body.ts';

/**
 * Bodies above this are parsed in a worker: 15 MiB of small integers would hold an event loop for
 * 300 ms.
 */
export const inlineBytesMax = 256 * 1024;

/**
 * Parses a JSON body and, where the contract has payloads, leaves each as the bytes that were sent.
 * @throws MALFORMED_JSON if the body is not JSON or not UTF-8, VALIDATION_ERROR if it is nested
 * deeper than 512 levels.
 */
export function parseBody(
  bytes: Buffer,
  plan: PayloadPlan | undefined,
  depthMax = bodyDepthMax,
): unknown {
  blankByteOrderMark(bytes);
  const value = parseJson(bytes, depthMax);
  if (plan) placeIn(value, plan, bytes, skipSpace(bytes, 0));
  return value;
}

/** How bodies of a schema are read: where their payloads stand, and the values that they may have. */
export interface BodyForm {
  plan: PayloadPlan | undefined;
  shape: BodyShape;
  limits: ScanLimits;
}

/**
 * Values of a large body that no schema bounds, as those of a list without a largest length. So many
 * take an event loop 50 ms.
 */
const valuesMax = 100_000;

export const bodyForm = (schema: z.ZodType, depthMax = bodyDepthMax): BodyForm => ({
  plan: payloadPlan(schema),
  shape: bodyShape(schema),
  limits: { depthMax, valuesMax },
});

/** The form of what our own services send each other: they are trusted with its length. */
export const ownForm = (schema: z.ZodType): BodyForm => ({
  ...bodyForm(schema),
  limits: { depthMax: bodyDepthMax, valuesMax: Number.POSITIVE_INFINITY },
});

/**
 * The same, off the event loop when the body is large: members that the form does not have are left out then.
 * Takes the body's memory: the caller must not use `bytes` afterwards.
 */
export async function parseBodyAside(bytes: Buffer, form: BodyForm): Promise<unknown> {
  const { plan, shape, limits } = form;
  if (bytes.length <= inlineBytesMax) return parseBody(bytes, plan, limits.depthMax);
  blankByteOrderMark(bytes);
  const whole =
    bytes.byteLength === bytes.buffer.byteLength
      ? bytes
      : Buffer.from(new Uint8Array(bytes).buffer);
  const { scanned, bytes: back } = await parsers().run<ParseTask, ParsedBody>(
    { bytes: whole.buffer as ArrayBuffer, shape, limits },
    { handedOver: ({ bytes }) => [bytes], refuse: tooMuchToRead },
  );
  return attachPayloads(scanned, shape, Buffer.from(back));
}

/** The task of a worker, which takes the memory with it. */
export interface ParseTask {
  bytes: ArrayBuffer;
  shape: BodyShape;
  limits: ScanLimits;
}

/** The worker's answer: the body, and the memory in which its payloads stand. */
export interface ParsedBody {
  scanned: ScannedBody;
  bytes: ArrayBuffer;
}

/**
 * Parses a part of a body. The caller may go on using `bytes`: the worker gets a copy. A small part
 * is parsed without a promise.
 */
export const parsePart = (bytes: Buffer, form: BodyForm): unknown =>
  bytes.length > inlineBytesMax
    ? parseBodyAside(Buffer.from(bytes), form)
    : parseBody(bytes, form.plan, form.limits.depthMax);

const planOf = (plans: Record<string, PayloadPlan>, key: string) =>
  Object.hasOwn(plans, key) ? plans[key] : undefined;

/** Puts spaces in the place of a byte order mark: JSON begins after them. */
function blankByteOrderMark(bytes: Buffer): void {
  if (hasByteOrderMark(bytes)) bytes.fill(' ', 0, byteOrderMarkBytes);
}

/** JSON of at most the nesting that it may have. */
function parseJson(bytes: Buffer, depthMax: number): unknown {
  if (!isUtf8(bytes)) throw noUtf8();
  // A level takes two bytes at least. Looked at first: to build millions of levels takes seconds.
  if (bytes.length > 2 * depthMax && isDeeperThan(bytes, depthMax)) throw nestedTooDeep(depthMax);
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw noJson(bytes, cause);
  }
}

/**
 * Puts each payload in its place in the value that was parsed from the text at `start`, and returns
 * where the text ends. The parsed value of a repeated key is that of its last occurrence: a payload
 * of an earlier occurrence goes to the matching place in that value, if there is one, and the last
 * occurrence's payload replaces it.
 */
function placeIn(
  value: unknown,
  plan: PayloadPlan | undefined,
  bytes: Buffer,
  start: number,
): number {
  if (plan && plan !== 'payload') {
    if ('elements' in plan && bytes[start] === openBracket && Array.isArray(value)) {
      let index = 0;
      return eachElement(bytes, start, (element) =>
        placeAt(value, index++, plan.elements, bytes, element),
      );
    }
    if ('members' in plan && bytes[start] === openBrace && isObject(value))
      return eachMember(bytes, start, (key, member) =>
        placeAt(value, key, planOf(plan.members, key), bytes, member),
      );
  }
  return endOfValue(bytes, start);
}

function placeAt(
  holder: object,
  key: string | number,
  plan: PayloadPlan | undefined,
  bytes: Buffer,
  start: number,
): number {
  const place = holder as Record<string | number, unknown>;
  if (plan !== 'payload')
    return plan ? placeIn(place[key], plan, bytes, start) : endOfValue(bytes, start);
  const end = endOfValue(bytes, start);
  if (Object.hasOwn(holder, key))
    place[key] = bytes[start] === openBrace ? new JsonText(bytes.subarray(start, end)) : null;
  return end;
}

const tooMuchToRead = ({ stopped }: StoppedTask): Failure =>
  new Failure('PAYLOAD_TOO_LARGE', `The body takes too much ${stopped} to read.`);

let pool: Workers | undefined;

/** One pool a process, made when the first large body comes; its idle thread ends by itself. */
function parsers(): Workers {
  pool ??= createWorkers({
    module: import.meta.url,
    name: './body-worker',
    threads: 1,
    timeoutMs: 10_000,
    heapMiBMax: 512,
  });
  return pool;
}
