import type { ProxyConfig } from './proxies.ts';
import { proxyUrlOf } from './proxy-url.ts';

/** Asks for a URL, as the global `fetch` does. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;
/** The variables that name proxies, in both cases. */
export type ProxyVariable = (typeof names)[number] | Lowercase<(typeof names)[number]>;

/**
 * A `fetch` through the proxies that variables name: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also in
 * lower case, which wins, as in curl and Python. Without them it is the global one. Throws an Error
 * whose message is one sentence where a proxy's URL is none.
 */
export function createProxiedFetch(variable: (name: ProxyVariable) => string | undefined): Fetch {
  const config: ProxyConfig = {};
  for (const name of names) {
    const value = variable(name.toLowerCase() as ProxyVariable) || variable(name) || undefined;
    if (value !== undefined) config[name] = name === 'NO_PROXY' ? value : proxyUrl(name, value);
  }
  if (config.HTTP_PROXY === undefined && config.HTTPS_PROXY === undefined)
    return (url, init) => fetch(url, init);
  let loading: Promise<Fetch> | undefined;
  return async (url, init) => {
    loading ??= throughProxies(config);
    return (await loading)(url, init);
  };
}

function proxyUrl(name: string, value: string): string {
  const url = proxyUrlOf(value);
  if (url !== undefined) return url;
  throw new Error(
    `${name} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128.`,
  );
}

/** The innermost cause, with advice where the proxy asks for a password. */
function causeOf(error: Error): string {
  let innermost = error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  const { message } = innermost;
  return /\b407\b/.test(message)
    ? `${message}: put a user and a password into its URL, http://user:password@host:port`
    : message;
}

/** Loads undici: programs that need no proxy do without it. */
async function throughProxies(config: ProxyConfig): Promise<Fetch> {
  // The library would become the one behind the process's own `fetch`, which is another's: Node.js
  // puts its own there first.
  new Headers();
  const [{ fetch: fetchFrom }, { createProxies }] = await Promise.all([
    import('undici'),
    import('./proxies.ts'),
  ]);
  const { proxyFor } = createProxies(config);
  return async (url, init) => {
    const dispatcher = proxyFor(new URL(url));
    if (!dispatcher) return fetch(url, init);
    // The options and replies of the library are those of the global fetch, whose types are not
    // quite those of undici's.
    const options = { ...(init as Parameters<typeof fetchFrom>[1]), dispatcher };
    const reply = await fetchFrom(url, options).catch((error: Error) => {
      if (init?.signal?.aborted) throw error;
      const proxy = new URL(url).protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
      const { host } = new URL(config[proxy]!);
      const why = causeOf(error);
      throw new TypeError(`by the proxy ${host}: ${why}`);
    });
    return reply as unknown as Response;
  };
}
