/** A JSON call that has to succeed. */
// biome-ignore lint/suspicious/noExplicitAny: a benchmark reads the data that it made.
export type Call = (method: string, path: string, body?: unknown) => Promise<any>;

/** Calls a gateway with a key; rejects with the reply when it is no 2xx. */
export const callAt =
  (url: string, key: string): Call =>
  async (method, path, body) => {
    const response = await fetch(`${url}/v2${path}`, {
      method,
      headers: {
        ...authorizationOf(key),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };

export const authorizationOf = (key: string) => ({ authorization: `Bearer ${key}` });
