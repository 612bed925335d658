export interface ServerSentEvent {
  event: string;
  id: string;
  data: Record<string, unknown>;
}

/** Follows a stream of server-sent events until it ends, or until the loop over it is left. */
export async function* followEvents(
  url: string,
  headers: Record<string, string>,
): AsyncGenerator<ServerSentEvent> {
  const leaving = new AbortController();
  try {
    const response = await fetch(url, { headers, signal: leaving.signal });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw new Error(`no stream of events, but ${response.status}: ${await response.text()}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      yield* blocks.map(toEvent).filter((event) => event !== undefined);
    }
  } finally {
    leaving.abort();
  }
}

function toEvent(block: string): ServerSentEvent | undefined {
  const fields = Object.fromEntries(
    block
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
  return fields.event === undefined
    ? undefined
    : { event: fields.event, id: fields.id!, data: JSON.parse(fields.data!) };
}
