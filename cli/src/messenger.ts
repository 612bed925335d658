import { eventsOf } from '@assay/client/events';
import { proxiedFetch } from './proxied-fetch.ts';

/** A message of JSON-RPC, as far as a forwarder reads it. */
interface Message {
  id?: string | number;
  method?: string;
  params?: {
    name?: string;
    uri?: string;
    requestId?: string | number;
    _meta?: Record<string, unknown>;
  };
  result?: { protocolVersion?: string };
}

interface MessengerOptions {
  /** The endpoint of the server. */
  url: string;
  key: string;
  write: (message: object) => Promise<void>;
}

const parseErrorCode = -32_700;
const serverErrorCode = -32_000;

/**
 * Sends messages of an agent to the server, each as a request of its own, and writes what comes
 * back. A request that cannot be answered is answered by an error with a sentence.
 */
export function createMessenger({ url, key, write }: MessengerOptions) {
  const waiting = new Map<string | number, AbortController>();
  /** Agreed upon when the agent introduced itself. */
  let version: string | undefined;

  async function post(line: string, message: Message, signal: AbortSignal): Promise<void> {
    const response = await proxiedFetch()(url, {
      method: 'POST',
      body: line,
      signal,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...protocolHeaders(message, version),
      },
    });
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && type.startsWith('text/event-stream') && response.body) {
      for await (const { data } of eventsOf(response.body)) await take(JSON.parse(data));
      return;
    }
    const text = await response.text();
    if (response.ok && text === '') return;
    const reply = parse(text);
    if (reply === undefined) throw new Error(`${response.status} ${text.slice(0, 200)}`);
    // The gateway refuses a request before it reads its id.
    if (message.id !== undefined) await take({ ...reply, id: message.id });
  }

  async function take(message: Message): Promise<void> {
    version = message.result?.protocolVersion ?? version;
    await write(message);
  }

  return async function send(line: string): Promise<void> {
    const message = parse(line);
    if (message === undefined)
      return write(errorReply(null, parseErrorCode, 'The line is no message: it must be JSON.'));
    const { id, method, params } = message;
    if (method === 'notifications/cancelled') {
      waiting.get(params?.requestId ?? '')?.abort();
      return;
    }
    const leaving = new AbortController();
    if (id !== undefined) waiting.set(id, leaving);
    try {
      await post(line, message, leaving.signal);
    } catch (error) {
      if (leaving.signal.aborted || id === undefined) return;
      const { message: reason, cause } = error as Error;
      const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? reason;
      await write(errorReply(id, serverErrorCode, `Assay is not reached at ${url}: ${code}.`));
    } finally {
      if (id !== undefined) waiting.delete(id);
    }
  };
}

const errorReply = (id: string | number | null, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

function parse(text: string): Message | undefined {
  try {
    const message = JSON.parse(text);
    return typeof message === 'object' && message !== null && !Array.isArray(message)
      ? message
      : undefined;
  } catch {
    return undefined;
  }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/**
 * The headers that describe a message. From version 2026-07-28 on, a message names its own version;
 * before that, the agreed one is sent.
 */
function protocolHeaders(
  { method, params }: Message,
  agreed: string | undefined,
): Record<string, string> {
  const own = params?._meta?.[versionKey];
  if (typeof own !== 'string')
    return agreed === undefined || method === 'initialize'
      ? {}
      : { 'mcp-protocol-version': agreed };
  const name = method === 'resources/read' ? params?.uri : params?.name;
  return {
    'mcp-protocol-version': own,
    'mcp-method': method ?? '',
    ...(name === undefined ? {} : { 'mcp-name': headerText(name) }),
  };
}

/** A text as a header; one that is not safe there as base64. */
const headerText = (text: string): string =>
  /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
