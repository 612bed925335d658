import { type Client, createClient } from '@assay/client/client';
import { createProxiedFetch, type Fetch } from '@assay/runtime/http/proxied-fetch';
import { variable } from './environment.ts';
import { AssayError, sentenceOf } from './failure.ts';

/** A server that answered, with the key that it took. */
export interface Server {
  client: Client;
  /** The API: http://127.0.0.1:4400/v2 */
  apiUrl: string;
  /** The console: http://127.0.0.1:4400 */
  consoleUrl: string;
  key: string;
  /** Goes through the proxies of the environment. */
  fetch: Fetch;
  /** Why a request waits at the moment. */
  waiting: () => string | undefined;
}

interface ServerChoice {
  url?: string | undefined;
  apiKey?: string | undefined;
  patienceMs?: number | undefined;
}

const defaultUrl = 'http://127.0.0.1:4400';
const waitingShownMs = 3_000;

/**
 * Looks for the server, once and without patience: an address or a key that is wrong now will be
 * wrong in two minutes.
 * @throws AssayError with a sentence of advice.
 */
export async function findServer(given: ServerChoice): Promise<Server> {
  const consoleUrl = baseOf(given.url ?? variable('ASSAY_URL') ?? defaultUrl);
  const key = (given.apiKey ?? variable('ASSAY_API_KEY'))?.trim();
  if (!key)
    throw new AssayError(
      'There is no key: set ASSAY_API_KEY to one (in the console: Settings, API keys; npm start keeps the first one in .assay/admin-key).',
    );
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new AssayError('ASSAY_API_KEY is no key: it has characters that no key has.');
  const fetch = proxiedFetch();
  const apiUrl = `${consoleUrl}/v2`;
  const first = createClient({ url: apiUrl, key, fetch, patienceMs: 0 });
  try {
    const me = await first.request('GET', '/me');
    if (me?.organization === undefined) throw new AssayError(noAssay(consoleUrl));
  } catch (error) {
    const isNoRoute = (error as { code?: string }).code === 'NOT_FOUND';
    const sentence = isNoRoute ? noAssay(consoleUrl) : sentenceOf(error, consoleUrl);
    throw sentence === undefined ? error : new AssayError(sentence);
  }
  let waited = { reason: '', at: Number.NEGATIVE_INFINITY };
  const client = createClient({
    url: apiUrl,
    key,
    fetch,
    ...(given.patienceMs === undefined ? {} : { patienceMs: given.patienceMs }),
    onWait: (reason) => {
      waited = { reason, at: performance.now() };
    },
  });
  const waiting = () =>
    performance.now() - waited.at < waitingShownMs ? waited.reason : undefined;
  return { client, apiUrl, consoleUrl, key, fetch, waiting };
}

/** @throws AssayError where a variable names no proxy. */
function proxiedFetch(): Fetch {
  try {
    return createProxiedFetch(variable);
  } catch (error) {
    throw new AssayError((error as Error).message);
  }
}

const noAssay = (url: string): string =>
  `What answers at ${url} is not Assay: set ASSAY_URL to its address, such as ${defaultUrl}.`;

/** The address without the version, with which people often copy it, or a slash at its end. */
function baseOf(url: string): string {
  const isAddress = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isAddress)
    throw new AssayError(
      `ASSAY_URL is no address of a server: ${JSON.stringify(url)}; one looks like ${defaultUrl}.`,
    );
  return url.replace(/[?#].*$/, '').replace(/\/*((\/api)?\/v2)?\/*$/, '');
}
