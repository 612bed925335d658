import type { FetchReply } from './client.ts';

/** An event of a stream of server-sent events. */
export interface ServerEvent {
  event: string;
  id: string | undefined;
  data: string;
}

/**
 * The events of one connection, as the HTML standard reads them. The connection's end, or its
 * failure, ends them: whoever asked connects again with the last id.
 */
export async function* readEvents({
  url,
  key,
  lastEventId,
  signal,
  fetch: fetchReply = fetch,
}: {
  url: string;
  key: string;
  lastEventId?: string | undefined;
  signal: AbortSignal;
  fetch?: FetchReply;
}): AsyncGenerator<ServerEvent> {
  const response = await fetchReply(url, {
    signal,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  if (!response.ok || response.body === null)
    throw new Error(`${response.status} in place of events`);
  yield* eventsOf(response.body);
}

/** The events of a reply that has begun. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunksOf(body)) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop()!;
    for (const block of blocks) {
      const found = parseEvent(block);
      if (found) yield found;
    }
  }
}

/** Safari before version 26 reads no stream by `for await`. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // Whoever ends the events early lets the connection go.
    await reader.cancel().catch(() => undefined);
  }
}

/** Comments and bare `retry` lines are no events. */
function parseEvent(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'data' && fields.has('data'))
      fields.set('data', `${fields.get('data')}\n${value ?? ''}`);
    else if (name) fields.set(name, value ?? '');
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data };
}
