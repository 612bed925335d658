import { isIP } from 'node:net';
import { errors, Pool, ProxyAgent } from 'undici';

/** The settings of proxies, in the form that the variables of the environment have everywhere. */
export interface ProxyConfig {
  HTTP_PROXY?: string | undefined;
  HTTPS_PROXY?: string | undefined;
  NO_PROXY?: string | undefined;
}

/**
 * Chooses the way to a URL: through the proxy of its protocol, or directly. Loopback
 * addresses, `localhost` and what NO_PROXY names are reached directly: hosts with all that is below
 * them, each with a port or without one, or `*` for all.
 */
export function createProxies({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY = '' }: ProxyConfig) {
  // A proxy forwards plain HTTP; for HTTPS it tunnels. Its own address is the operator's choice.
  const agentOf = (uri: string | undefined) =>
    uri === undefined
      ? undefined
      : new ProxyAgent({ uri, proxyTunnel: false, clientFactory: failingAtOnce });
  const proxies = new Map([
    ['http:', agentOf(HTTP_PROXY)],
    ['https:', agentOf(HTTPS_PROXY)],
  ]);
  const exempt = NO_PROXY.split(/[,\s]+/).filter((entry) => entry !== '');

  const isDirect = (url: URL): boolean =>
    isLoopback(url.hostname) || exempt.some((entry) => covers(entry.toLowerCase(), url));

  return {
    /** Undefined where the URL is reached directly. */
    proxyFor: (url: URL): ProxyAgent | undefined =>
      isDirect(url) ? undefined : proxies.get(url.protocol),
    async close(): Promise<void> {
      await Promise.all([...proxies.values()].map((each) => each?.destroy()));
    },
  };
}

/**
 * A pool for a proxy that closes the tunnel that it was asked for. The library takes that for a
 * connection that may come again, and asks anew without end (undici 7.30.2).
 */
function failingAtOnce(origin: URL, options: object): Pool {
  const pool = new Pool(origin, options);
  const connect = pool.connect.bind(pool);
  pool.connect = (async (wanted: Parameters<typeof connect>[0]) => {
    try {
      return await connect(wanted);
    } catch (error) {
      if (!(error instanceof errors.SocketError)) throw error;
      throw Object.assign(new Error('the proxy closed the connection'), { code: 'ECONNRESET' });
    }
  }) as typeof pool.connect;
  return pool;
}

/** As URLs have it: lower case, an IPv6 address in brackets. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  (isIP(hostname) === 4 && hostname.startsWith('127.'));

function covers(entry: string, { protocol, hostname, port }: URL): boolean {
  if (entry === '*') return true;
  const [, host = entry, onlyPort] = /^(.+?):(\d+)$/.exec(entry) ?? [];
  const actualPort = port || (protocol === 'https:' ? '443' : '80');
  if (onlyPort !== undefined && onlyPort !== actualPort) return false;
  const name = host.replace(/^\*?\./, '');
  return hostname === name || hostname.endsWith(`.${name}`);
}
