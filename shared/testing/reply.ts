/** A reply as a test sees it: `body` is parsed JSON, `text` the body as received. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a reply, and checks it.
  body: any;
}

interface SentRequest {
  method: string;
  headers: Record<string, string>;
  body: unknown;
  /** Sent as it is, in place of a body that is made JSON. */
  raw: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
}

/** Sends a request whose body, where it has one, is JSON, and reads the reply whole. */
export async function send(
  url: string,
  { method, headers, body, raw, signal }: SentRequest,
): Promise<Reply> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const type: Record<string, string> =
    content === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(content === undefined ? {} : { body: content as string }),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  // A part of JSON is none.
  const isJson =
    response.status !== 206 &&
    (response.headers.get('content-type')?.startsWith('application/json') ?? false);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}
