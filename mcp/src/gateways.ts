import type { FetchReply } from '@assay/client/client';

/** Where the public API is asked. */
export interface Gateways {
  /** The base path of the API at the first gateway. */
  apiUrl: string;
  /**
   * Sends each request to `apiUrl` to another of the gateways in turn: a client that tries again
   * where one cannot be reached finds the next.
   */
  fetch: FetchReply;
  /** A sentence where none of them is ready. */
  problem(): Promise<string | undefined>;
}

const readyTimeoutMs = 2000;

/** @param urls base URLs of the gateways, separated by commas. */
export function createGateways(urls: string): Gateways {
  const origins = urls.split(',').map((url) => new URL(url.trim()).origin);
  let turn = 0;
  return {
    apiUrl: `${origins[0]}/v2`,
    fetch: (url, init) => {
      turn = (turn + 1) % origins.length;
      return fetch(`${origins[turn]}${url.slice(origins[0]!.length)}`, init);
    },
    async problem() {
      const problems = await Promise.all(origins.map(problemOf));
      return problems.every((problem) => problem !== undefined) ? problems[0] : undefined;
    },
  };
}

const problemOf = (origin: string): Promise<string | undefined> =>
  fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(readyTimeoutMs) }).then(
    ({ ok }) => (ok ? undefined : 'The gateway is not ready.'),
    () => 'The gateway does not answer.',
  );
