/** A request that was made from the document. */
export interface GeneratedRequest {
  /** Below the base, with its query. */
  path: string;
  headers: Record<string, string>;
  /** Undefined for none. */
  body: string | Uint8Array<ArrayBuffer> | undefined;
  /**
   * Whether the document says that it is wrong, and where: a place as `details.issues` names it,
   * where one is known.
   */
  fault: { place: string | undefined } | undefined;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Asks once more where the service says so: a busy machine is no failure, but one that stays busy
 * is.
 */
export async function ask(
  url: string,
  method: string,
  { path, headers, body }: GeneratedRequest,
  key: object,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const leaving = new AbortController();
    const request = {
      method,
      headers: { ...headers, ...key },
      signal: leaving.signal,
      ...(body === undefined ? {} : { body }),
    };
    const response = await fetch(`${url}/v2${path}`, request);
    const answer = {
      status: response.status,
      headers: response.headers,
      text: await textOf(response),
    };
    leaving.abort();
    if (response.status !== 503 || !response.headers.has('retry-after') || attempt === 5)
      return answer;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** All that comes; of server-sent events, which may never end, the first piece. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response.text();
  const { value } = await response.body!.getReader().read();
  return new TextDecoder().decode(value);
}

const shownCharactersMax = 2000;
const cut = (text: string): string =>
  text.length > shownCharactersMax
    ? `${text.slice(0, shownCharactersMax)}… (${text.length} characters)`
    : text;

/** A request as a failure shows it. */
export function describeRequest(method: string, { path, headers, body }: GeneratedRequest): string {
  const shown =
    body === undefined
      ? ''
      : `\n${cut(typeof body === 'string' ? body : Buffer.from(body).toString('latin1'))}`;
  return `${method} ${cut(path)} ${cut(JSON.stringify(headers))}${shown}`;
}

export const describeAnswer = ({ status, text }: Answer): string => `${status} ${cut(text)}`;
