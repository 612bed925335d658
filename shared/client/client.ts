import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import type { BodyOf, ItemOf, ListPath, Method, PathOf, ReplyOf } from './operations.ts';
import { type PathOptions, pathOf } from './path.ts';

export type Json = Record<string, unknown>;

export interface Client {
  /**
   * Asks for an operation of the contracts, and returns the reply's body. Retries failures that may
   * pass; any other throws a RequestFailure, which tells it in one sentence. Numbers keep all their
   * digits: one in a payload that no double says is a JsonNumber, in the body as in the reply.
   */
  request<Wanted extends Method, Path extends PathOf<Wanted>>(
    method: Wanted,
    path: Path,
    options?: PathOptions<Wanted, Path> & {
      body?: BodyOf<Wanted, Path>;
      /** Of a POST: else it has one of its own. */
      idempotencyKey?: string | undefined;
    },
  ): Promise<ReplyOf<Wanted, Path>>;
  /**
   * Sends JSON texts as lines, and returns the reply to each, in order. All of them are sent again
   * where some of the replies are lost, so each has to carry its own name, such as a `clientId`, or
   * the request an Idempotency-Key.
   */
  sendLines<Wanted extends 'POST' | 'PUT', Path extends PathOf<Wanted>>(
    method: Wanted,
    path: Path,
    lines: readonly string[],
    options?: PathOptions<Wanted, Path> & { headers?: Record<string, string> },
  ): Promise<LineReply[]>;
  /** All items of a list, page by page. */
  list<Path extends ListPath>(
    path: Path,
    options?: PathOptions<'GET', Path>,
  ): AsyncGenerator<ItemOf<Path>>;
  /** Opens a reply that is streamed, without a retry. @throws RequestFailure. */
  open<Wanted extends 'GET' | 'POST', Path extends PathOf<Wanted>>(
    method: Wanted,
    path: Path,
    options?: PathOptions<Wanted, Path> & StreamOptions,
  ): Promise<Response>;
}

/** The reply to one line of an upload, which no contract describes. */
export interface LineReply {
  status: number;
  id?: string;
  /** Of an import with a mode. */
  outcome?: string;
  code?: string;
  message?: string;
  details?: { issues?: { path: string; message: string }[] };
  validationErrors?: { path: string; message: string }[];
}

interface StreamOptions {
  headers?: Record<string, string>;
  /** A browser takes no pieces: it sends a file as a blob. */
  body?: AsyncIterable<Uint8Array> | Blob;
}

/** A place in a request, and its fault. */
export interface Issue {
  path: string;
  message: string;
}

/** A request that was refused, or not answered for as long as it was tried. */
export class RequestFailure extends Error {
  override name = 'RequestFailure';
  /** Undefined where nothing answered. */
  readonly status: number | undefined;
  /** The service's own word for it; undefined where something else answered. */
  readonly code: string | undefined;
  /** The message without the request. */
  readonly reason: string;
  /** The first thing that is wrong in a request that breaks the rules. */
  readonly issue: Issue | undefined;

  constructor(request: string, { status, code, reason, issue }: Refusal) {
    super(`${request}: ${reason}`);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.issue = issue;
  }
}

/** Asks for a URL, as the global `fetch` does. */
export type FetchReply = (url: string, init: RequestInit) => Promise<Response>;

interface ClientOptions {
  /** With the version: http://127.0.0.1:4400/v2 */
  url: string;
  /** Left out where none is needed, or `fetch` says who asks, as a browser's session does. */
  key?: string;
  fetch?: FetchReply;
  /** Told, in a few words, why a request has to wait. */
  onWait?: (reason: string) => void;
  /** How long one request is tried. */
  patienceMs?: number;
  /** How long one try may take. */
  attemptTimeoutMs?: number;
}
const firstPauseMs = 100;
const pauseMaxMs = 2_000;

/**
 * A client of the HTTP interface. It tries again where the service says so (429, 502, 503, 504, a
 * 409 with Retry-After) or cannot be reached, for 2 minutes. Each POST has an Idempotency-Key, so
 * that one whose answer was lost is not done twice; GET, PUT, PATCH and DELETE can be repeated as
 * they are.
 */
export function createClient({
  url,
  key,
  fetch: fetchReply = fetch,
  onWait = () => undefined,
  patienceMs = 120_000,
  attemptTimeoutMs = 30_000,
}: ClientOptions): Client {
  const identity: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };

  /** Sends a request until it is answered, refused, or not answered for too long. */
  async function send(
    method: string,
    path: string,
    content: Pick<RequestInit, 'headers' | 'body'>,
    read: (text: string) => unknown,
  ): Promise<unknown> {
    const headers = { ...identity, ...content.headers };
    const deadline = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.timeout(attemptTimeoutMs);
      const outcome = await attemptOnce(
        `${url}${path}`,
        { method, headers, body: content.body, signal },
        { read, fetchReply },
      );
      if (outcome.kind === 'done') return outcome.body;
      const failure = () => new RequestFailure(`${method} ${path}`, outcome);
      if (outcome.kind === 'refused') throw failure();
      const waitMs = Math.max(outcome.waitMs, backOffMs(attempt));
      if (performance.now() + waitMs > deadline) throw failure();
      onWait(outcome.reason);
      await pause(waitMs);
    }
  }

  const request: Client['request'] = async (
    method,
    path,
    { body, idempotencyKey = newKey(), ...options } = {},
  ) => {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (method === 'POST') headers['idempotency-key'] = idempotencyKey;
    const text = body === undefined ? undefined : writeJson(body);
    return (await send(method, pathOf(path, options), { headers, body: text }, readBody)) as never;
  };

  const sendLines: Client['sendLines'] = async (
    method,
    path,
    lines,
    { headers: own = {}, ...options } = {},
  ) => {
    const headers = { 'content-type': 'application/x-ndjson', ...own };
    const body = lines.map((line) => `${line}\n`).join('');
    const replies = await send(method, pathOf(path, options), { headers, body }, (text) =>
      readLines(text, lines.length),
    );
    return replies as LineReply[];
  };

  const open: Client['open'] = async (method, path, { headers, body, ...options } = {}) => {
    const asked = pathOf(path, options);
    const response = await fetchReply(`${url}${asked}`, {
      method,
      headers: { ...identity, ...headers },
      ...(body ? { body: body as RequestInit['body'], duplex: 'half' } : {}),
    }).catch((error: Error) => {
      throw new RequestFailure(`${method} ${asked}`, unreached(error));
    });
    if (response.ok) return response;
    const { status } = response;
    const { code, message } = errorOf(await response.text());
    throw new RequestFailure(`${method} ${asked}`, {
      status,
      code,
      reason: `${status} ${message}`,
    });
  };

  async function* list<Path extends ListPath>(
    path: Path,
    { params, query }: PathOptions<'GET', Path> = {},
  ): AsyncGenerator<ItemOf<Path>> {
    let cursor: string | null = null;
    do {
      const page: Page<ItemOf<Path>> = await readPage('GET', path, {
        params,
        query: { ...(query as object), limit: pageItems, ...(cursor === null ? {} : { cursor }) },
      });
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  /** The type of a list's path does not tell that every list has pages. */
  const readPage = request as (method: 'GET', path: string, options: object) => Promise<never>;

  return { request, sendLines, list, open };
}

/** A reply without a body, such as a 204, is undefined. */
const readBody = (text: string): unknown => (text === '' ? undefined : parseByValue(text));

/** @throws LostReplies where there are fewer lines than were asked for. */
function readLines(text: string, count: number): unknown[] {
  const lines = text.split('\n');
  if (lines.length <= count) throw new LostReplies();
  return lines.slice(0, count).map((line) => JSON.parse(line));
}

/** A stream of replies that ended before all had come. */
class LostReplies extends Error {
  override message = 'the reply ended too early';
}

interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

const pageItems = 100;

type Refusal = Pick<RequestFailure, 'status' | 'code' | 'reason'> &
  Partial<Pick<RequestFailure, 'issue'>>;
type Outcome =
  | { kind: 'done'; body: unknown }
  | ({ kind: 'later'; waitMs: number } & Refusal)
  | ({ kind: 'refused' } & Refusal);

async function attemptOnce(
  url: string,
  init: RequestInit,
  { read, fetchReply }: { read: (text: string) => unknown; fetchReply: FetchReply },
): Promise<Outcome> {
  try {
    const response = await fetchReply(url, init);
    const text = await response.text();
    return outcomeOf(response, text, read);
  } catch (error) {
    return { kind: 'later', ...unreached(error as Error), waitMs: 0 };
  }
}

const unreached = (error: Error): Refusal => ({
  status: undefined,
  code: undefined,
  reason: `no answer (${causeOf(error)})`,
});

function outcomeOf(
  { status, ok, headers }: Response,
  text: string,
  read: (text: string) => unknown,
): Outcome {
  if (ok) return readReply(status, text, read);
  const { code, message, issue } = errorOf(text);
  const refusal = { status, code, reason: `${status} ${message}`, issue };
  const retryAfter = headers.get('retry-after');
  const mayPass = [429, 502, 503, 504].includes(status) || (status === 409 && retryAfter !== null);
  // A Retry-After that is a date is not waited for to the second.
  return mayPass
    ? { kind: 'later', ...refusal, waitMs: Number(retryAfter) * 1000 || 0 }
    : { kind: 'refused', ...refusal };
}

/** A reply of another server, such as a page to sign in, is no JSON: it will be none later. */
function readReply(status: number, text: string, read: (text: string) => unknown): Outcome {
  try {
    return { kind: 'done', body: read(text) };
  } catch (error) {
    if (error instanceof LostReplies) throw error;
    return { kind: 'refused', status, code: undefined, reason: `${status} ${text.slice(0, 200)}` };
  }
}

function errorOf(text: string): {
  code: string | undefined;
  message: string;
  issue?: Issue | undefined;
} {
  try {
    const { code, message, details } = JSON.parse(text);
    const [issue] = details?.issues ?? [];
    return {
      code,
      issue,
      message: `${code}: ${message}${issue ? ` (${issue.path}: ${issue.message})` : ''}`,
    };
  } catch {
    return { code: undefined, message: text.slice(0, 200) };
  }
}

const causeOf = ({ message, cause }: Error): string =>
  (cause as { code?: string } | undefined)?.code ?? message;

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** An Idempotency-Key that nobody has used. A browser has `randomUUID` over https alone. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/** Doubled each time, and spread over a half, so that many that wait do not come back at once. */
const backOffMs = (attempt: number): number =>
  Math.min(pauseMaxMs, firstPauseMs * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);

/** Undefined where there is no such thing. */
export async function orUndefined<Reply>(request: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RequestFailure && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

export async function listAll<Path extends ListPath>(
  client: Client,
  path: Path,
  options?: PathOptions<'GET', Path>,
): Promise<ItemOf<Path>[]> {
  const items: ItemOf<Path>[] = [];
  for await (const item of client.list(path, options)) items.push(item);
  return items;
}
