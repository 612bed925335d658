import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

export type Json = Record<string, unknown>;

export interface Client {
  /** The reply's body. What the service refuses is thrown as one sentence; what may pass is tried again. */
  request<Reply>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Reply>;
  /** All items of a list, page by page. */
  list<Item>(path: string): AsyncGenerator<Item>;
}

interface ClientOptions {
  /** With the version: http://127.0.0.1:4400/v2 */
  url: string;
  key: string;
  /** Told, in a few words, why a request has to wait. */
  onWait?: (reason: string) => void;
  /** How long one request is tried. */
  patienceMs?: number;
}

const attemptTimeoutMs = 30_000;
const firstPauseMs = 100;
const pauseMaxMs = 2_000;

/**
 * A client of the HTTP interface. It tries again where the service says so (429, 502, 503, 504, a 409 with Retry-After) or cannot be reached,
 * for 2 minutes. Each POST has an Idempotency-Key, so that one whose answer was lost is not done twice; GET, PUT, PATCH and DELETE can be
 * repeated as they are.
 */
export function createClient({ url, key, onWait = () => undefined, patienceMs = 120_000 }: ClientOptions): Client {
  const request: Client['request'] = async (method, path, body) => {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (method === 'POST') headers['idempotency-key'] = randomUUID();
    const content = body === undefined ? undefined : JSON.stringify(body);
    const deadline = performance.now() + patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOnce(`${url}${path}`, { method, headers, body: content });
      if (outcome.kind === 'done') return outcome.body as never;
      const told = `${method} ${path}: ${outcome.reason}`;
      if (outcome.kind === 'refused') throw new Error(told);
      const waitMs = Math.max(outcome.waitMs, backOffMs(attempt));
      if (performance.now() + waitMs > deadline) throw new Error(told);
      onWait(outcome.reason);
      await pause(waitMs);
    }
  };

  async function* list<Item>(path: string): AsyncGenerator<Item> {
    let cursor: string | null = null;
    do {
      const page: { data: Item[]; nextCursor: string | null } = await request('GET', `${path}?${query(cursor)}`);
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  return { request, list };
}

const query = (cursor: string | null): URLSearchParams => new URLSearchParams({ limit: '100', ...(cursor === null ? {} : { cursor }) });

type Outcome = { kind: 'done'; body: unknown } | { kind: 'later'; reason: string; waitMs: number } | { kind: 'refused'; reason: string };

async function attemptOnce(url: string, init: RequestInit): Promise<Outcome> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(attemptTimeoutMs) });
    const text = await response.text();
    return outcomeOf(response, text);
  } catch (error) {
    return { kind: 'later', reason: `no answer (${causeOf(error as Error)})`, waitMs: 0 };
  }
}

function outcomeOf({ status, ok, headers }: Response, text: string): Outcome {
  if (ok) return { kind: 'done', body: JSON.parse(text) };
  const reason = `${status} ${messageOf(text)}`;
  const retryAfter = headers.get('retry-after');
  const mayPass = [429, 502, 503, 504].includes(status) || (status === 409 && retryAfter !== null);
  // A Retry-After that is a date is not waited for to the second.
  return mayPass ? { kind: 'later', reason, waitMs: Number(retryAfter) * 1000 || 0 } : { kind: 'refused', reason };
}

function messageOf(text: string): string {
  try {
    const { code, message, details } = JSON.parse(text);
    const [issue] = details?.issues ?? [];
    return `${code}: ${message}${issue ? ` (${issue.path}: ${issue.message})` : ''}`;
  } catch {
    return text.slice(0, 200);
  }
}

const causeOf = ({ message, cause }: Error): string => (cause as NodeJS.ErrnoException | undefined)?.code ?? message;

/** Doubled each time, and spread over a half, so that many that wait do not come back at once. */
const backOffMs = (attempt: number): number => Math.min(pauseMaxMs, firstPauseMs * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);
