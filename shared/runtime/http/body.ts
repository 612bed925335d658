import { isUtf8 } from 'node:buffer';
import { Failure, invalidAt } from '@assay/contracts/failure';
import { JsonText, type PayloadPlan } from '@assay/contracts/payload';
import { endOfChecked, malformed, tooDeep } from '@assay/json/check';
import {
  eachElement,
  eachMember,
  endOfValue,
  isDeeperThan,
  openBrace,
  openBracket,
  type Span,
  skipSpace,
} from '@assay/json/scan';
import { bodyDepthMax, isObject } from '@assay/json/value';
import { createWorkers, type StoppedTask, type Workers } from '../concurrency/workers.ts';

/**
 * Bodies above this are parsed in a worker: 15 MiB of small integers would hold an event loop for
 * 300 ms.
 */
export const inlineBytesMax = 256 * 1024;

/**
 * A parsed body in which each planned payload is the place where its text stands; null where the
 * plan's field is no such thing.
 */
export type ScannedBody = unknown;

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
  const value = parseJson(bytes, depthMax);
  if (plan) placeIn(value, plan, bytes, skipSpace(bytes, 0));
  return value;
}

/**
 * The same, off the event loop when the body is large. Takes the body's memory: the caller must not
 * use `bytes` afterwards.
 */
export async function parseBodyAside(
  bytes: Buffer,
  plan: PayloadPlan | undefined,
  depthMax = bodyDepthMax,
): Promise<unknown> {
  if (bytes.length <= inlineBytesMax) return parseBody(bytes, plan, depthMax);
  const whole =
    bytes.byteLength === bytes.buffer.byteLength
      ? bytes
      : Buffer.from(new Uint8Array(bytes).buffer);
  const { scanned, bytes: back } = await parsers().run<ParseTask, ParsedBody>(
    { bytes: whole.buffer as ArrayBuffer, plan, depthMax },
    { handedOver: ({ bytes }) => [bytes], refuse: tooMuchToRead },
  );
  return attachPayloads(scanned, plan, Buffer.from(back));
}

/** The task of a worker, which takes the memory with it. */
export interface ParseTask {
  bytes: ArrayBuffer;
  plan: PayloadPlan | undefined;
  depthMax: number;
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
export const parsePart = (
  bytes: Buffer,
  plan: PayloadPlan | undefined,
  depthMax = bodyDepthMax,
): unknown =>
  bytes.length > inlineBytesMax
    ? parseBodyAside(Buffer.from(bytes), plan, depthMax)
    : parseBody(bytes, plan, depthMax);

/**
 * The part of the work that grows with the body, for a worker: payloads are the places where they
 * stand. They are checked and not built, since a payload may take many times the memory of its
 * text: a mark is parsed instead of it. A text in which a value has taken the place of another is
 * JSON exactly where the first was.
 */
export function scanBody(
  bytes: Buffer,
  plan: PayloadPlan | undefined,
  depthMax = bodyDepthMax,
): ScannedBody {
  if (!plan || plan === 'payload') return parseJson(bytes, depthMax);
  if (!isUtf8(bytes)) throw noUtf8();
  const pieces: string[] = [];
  let copied = 0;

  function markPayload(start: number, level: number): number {
    const end = endOfChecked(bytes, start, depthMax - level);
    if (end === tooDeep) throw nestedTooDeep(depthMax);
    if (end === malformed) throw noJson(bytes);
    pieces.push(
      bytes.toString('utf8', copied, start),
      JSON.stringify({ start, end, isObject: bytes[start] === openBrace } satisfies Mark),
    );
    copied = end;
    return end;
  }

  /**
   * Goes through the value at `start`, which stands in so many objects and arrays, and says where
   * it ends.
   */
  function mark(start: number, inner: PayloadPlan | undefined, level: number): number {
    if (inner === 'payload') return markPayload(start, level);
    if (inner && 'elements' in inner && bytes[start] === openBracket)
      return eachElement(bytes, start, (element) => mark(element, inner.elements, level + 1));
    if (inner && 'members' in inner && bytes[start] === openBrace)
      return eachMember(bytes, start, (key, value) =>
        mark(value, planOf(inner.members, key), level + 1),
      );
    return endOfValue(bytes, start);
  }

  try {
    mark(skipSpace(bytes, 0), plan, 0);
  } catch (error) {
    throw error instanceof SyntaxError ? noJson(bytes, error) : error;
  }
  return parseJson(Buffer.from(pieces.join('') + bytes.toString('utf8', copied)), depthMax);
}

const planOf = (plans: Record<string, PayloadPlan>, key: string) =>
  Object.hasOwn(plans, key) ? plans[key] : undefined;

interface Mark extends Span {
  isObject: boolean;
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

const noUtf8 = () => new Failure('MALFORMED_JSON', 'The body is not valid UTF-8.');
const nestedTooDeep = (depthMax: number) =>
  invalidAt('', `is nested deeper than ${depthMax} levels`);
const noJson = ({ length }: Buffer, cause?: unknown) =>
  new Failure(
    'MALFORMED_JSON',
    length === 0 ? 'The body is empty, but JSON is needed.' : 'The body is not valid JSON.',
    { cause },
  );

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

/** Puts payloads where a worker found them. */
export function attachPayloads(
  value: unknown,
  plan: PayloadPlan | undefined,
  bytes: Buffer,
): unknown {
  if (!plan || value === undefined) return value;
  if (plan === 'payload') {
    const mark = value as Mark;
    return mark.isObject ? new JsonText(bytes.subarray(mark.start, mark.end)) : null;
  }
  if ('elements' in plan)
    return Array.isArray(value)
      ? value.map((element) => attachPayloads(element, plan.elements, bytes))
      : value;
  if (!isObject(value)) return value;
  for (const [key, inner] of Object.entries(plan.members))
    if (Object.hasOwn(value, key)) value[key] = attachPayloads(value[key], inner, bytes);
  return value;
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
