import { isIP, type LookupFunction } from 'node:net';
import { createProxies, type ProxyConfig } from '@assay/runtime/http/proxies';
import {
  Agent,
  type Response as Fetched,
  type RequestInit as FetchOptions,
  fetch as fetchFrom,
} from 'undici';
import { isRefusal, refusal } from './refusal.ts';

/** Bytes of an answer: a judge's longest is far below. */
const bytesMax = 4 * 1024 * 1024;

/** Statuses whose responses carry no body. */
const bodiless = new Set([204, 205]);

interface Dependencies {
  /** Hosts that may be asked, by name or by name and port. */
  hosts: ReadonlySet<string>;
  /** Every URL begins with one of these. */
  baseUrls: string[];
  /** Gives the addresses that connections are made to. */
  lookup: LookupFunction;
  proxies?: ProxyConfig;
}

/**
 * A `fetch` that reaches the hosts and paths given and no other, follows no redirect, and reads
 * answers of up to 4 MiB, whole.
 */
export function createGuardedFetch({ hosts, baseUrls, lookup, proxies = {} }: Dependencies) {
  const agent = new Agent({ connect: { lookup } });
  const { proxyFor, close: closeProxies } = createProxies(proxies);
  const bases = baseUrls.map((baseUrl) => new URL(baseUrl));

  function checkedUrl(given: string): URL {
    const url = new URL(given);
    if (!hosts.has(url.host) && !hosts.has(url.hostname))
      throw refusal(
        `The host ${url.host} is not among those that judges may be asked at (JUDGE_ALLOWED_HOSTS).`,
      );
    if (!bases.some((base) => isBelow(base, url)) || isMisleading(given, url))
      throw refusal(`The URL of the request does not stay below the base URL of its provider.`);
    return url;
  }

  async function guardedFetch(
    input: string | URL | Request,
    init?: RequestInit,
  ): Promise<Response> {
    const url = checkedUrl(input instanceof Request ? input.url : String(input));
    const proxy = proxyFor(url);
    if (proxy) await refuseAddresses(url.hostname, lookup);
    const dispatcher = proxy ?? agent;
    // The library's options are those of the global fetch, whose types are not quite those of
    // undici's.
    const options = { ...(init as FetchOptions), redirect: 'manual' as const, dispatcher };
    const response = await fetchFrom(url, options).catch((error) => {
      throw isRefusal(error.cause) ? error.cause : error;
    });
    const { status, statusText } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw refusal(`${url.host} answered ${status}, a redirect, which is not followed.`);
    }
    const body = await readBounded(response, url.host);
    return new Response(bodiless.has(status) ? null : body, {
      status,
      statusText,
      headers: [...response.headers],
    });
  }

  return {
    fetch: guardedFetch as typeof fetch,
    close: async () => void (await Promise.all([agent.destroy(), closeProxies()])),
  };
}

/**
 * A proxy resolves names itself. One that leads to an address here at which no judge is asked is
 * refused all the same; one that cannot be resolved here is the proxy's.
 */
const refuseAddresses = (hostname: string, lookup: LookupFunction): Promise<void> =>
  new Promise((resolve, reject) => {
    if (isIP(hostname.replace(/^\[|\]$/g, ''))) return resolve();
    lookup(hostname, { all: true }, (error) => (isRefusal(error) ? reject(error) : resolve()));
  });

const isBelow = (base: URL, { origin, pathname }: URL): boolean =>
  base.origin === origin &&
  pathname.startsWith(base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`);

/**
 * True if parsing the URL resolves a part of it away (dot segments, backslashes), or a query or a
 * fragment ends its path early.
 */
const isMisleading = (given: string, { search, hash }: URL): boolean =>
  search + hash !== '' ||
  given.includes('\\') ||
  given.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));

async function readBounded(response: Fetched, host: string): Promise<Buffer<ArrayBuffer>> {
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
