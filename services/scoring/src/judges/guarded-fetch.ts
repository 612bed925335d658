/** Bytes of an answer: a judge's longest is far below. */
const bytesMax = 4 * 1024 * 1024;

/** Statuses whose responses carry no body. */
const bodiless = new Set([204, 205]);

/** Why a request was not made or its answer not taken; trying again would not help. */
const refusal = (message: string): Error => Object.assign(new Error(message), { name: refusalName });
const refusalName = 'Refusal';
export const isRefusal = (error: unknown): error is Error => error instanceof Error && error.name === refusalName;

/** A `fetch` that reaches the hosts given and no other, follows no redirect, and reads answers of up to 4 MiB, whole. */
export const createGuardedFetch =
  (hosts: ReadonlySet<string>): typeof fetch =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!hosts.has(url.host) && !hosts.has(url.hostname))
      throw refusal(`The host ${url.host} is not among those that judges may be asked at (JUDGE_ALLOWED_HOSTS).`);
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const { status, statusText, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw refusal(`${url.host} answered ${status}, a redirect, which is not followed.`);
    }
    const body = await readBounded(response, url.host);
    return new Response(bodiless.has(status) ? null : body, { status, statusText, headers });
  };

async function readBounded(response: Response, host: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (bytes > bytesMax) throw refusal(`${host} answered with more than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
