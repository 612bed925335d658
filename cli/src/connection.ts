import { apiKey, baseUrl, defaultUrl } from '@assay/client/address';
import { type Client, createClient } from '@assay/client/client';
import { readConfig } from '@assay/runtime/config';
import { z } from 'zod';
import { type CredentialStore, createCredentialStore } from './credentials.ts';
import { CommandFailure, orUsage } from './failure.ts';
import { proxiedFetch } from './proxied-fetch.ts';
import type { Terminal } from './terminal.ts';

const cliConfig = {
  ASSAY_URL: z.string().optional(),
  ASSAY_API_KEY: z.string().optional(),
  XDG_CONFIG_HOME: z.string().optional(),
};

/** A server with the key for it, and where the key is from. */
export interface Server {
  /** The base path of the API. */
  url: string;
  key: string;
  source: 'ASSAY_API_KEY' | 'login';
}

/** How commands reach Assay. */
export interface Connection {
  credentials: CredentialStore;
  /** The base path: the given one, else ASSAY_URL, else that of the last login, else the default. */
  findUrl(given?: string): Promise<string>;
  /** @throws CommandFailure where there is no key. */
  findServer(given?: string): Promise<Server>;
  connect(given?: string): Promise<{ client: Client; server: Server }>;
  /** A client for a server and key that are not stored yet, or for a server alone. */
  clientOf(server: { url: string; key?: string }): Client;
  /** A client for long work, which waits two minutes for a server that is busy or starts again. */
  patientClientOf(server: Pick<Server, 'url' | 'key'>): Client;
  /** The base path that was asked for last, for errors. */
  lastUrl(): string | undefined;
}

/** How long a server that does not answer is asked again, and how long one answer may take. */
const patienceMs = 3_000;
const longPatienceMs = 120_000;
const attemptTimeoutMs = 130_000;

export function createConnection(terminal: Terminal): Connection {
  const { ASSAY_URL, ASSAY_API_KEY, XDG_CONFIG_HOME } = readConfig(cliConfig);
  const credentials = createCredentialStore(XDG_CONFIG_HOME);
  let last: string | undefined;

  async function findUrl(given?: string): Promise<string> {
    const named = given ?? ASSAY_URL ?? (await credentials.read()).current ?? defaultUrl;
    last = orUsage(() => baseUrl(named));
    return last;
  }

  async function findServer(given?: string): Promise<Server> {
    const url = await findUrl(given);
    if (ASSAY_API_KEY !== undefined)
      return { url, key: orUsage(() => apiKey(ASSAY_API_KEY)), source: 'ASSAY_API_KEY' };
    const { servers } = await credentials.read();
    const known = Object.hasOwn(servers, url) ? servers[url] : undefined;
    if (known) return { url, key: known.key, source: 'login' };
    const others = Object.keys(servers);
    const elsewhere = others.length > 0 ? ` You are logged in to ${others.join(', ')}.` : '';
    throw new CommandFailure(
      `There is no key for ${url}: log in (assay login ${consoleUrl(url)}), or set ASSAY_API_KEY.${elsewhere}`,
    );
  }

  const create = ({ url, key }: { url: string; key?: string }, patienceMs: number): Client =>
    createClient({
      url,
      key,
      fetch: proxiedFetch(),
      patienceMs,
      attemptTimeoutMs,
      onWait: terminal.sayWaiting,
    });
  const clientOf: Connection['clientOf'] = (server) => create(server, patienceMs);

  return {
    credentials,
    findUrl,
    findServer,
    clientOf,
    patientClientOf: (server) => create(server, longPatienceMs),
    lastUrl: () => last,
    async connect(given) {
      const server = await findServer(given);
      return { client: clientOf(server), server };
    },
  };
}

/** The address of the console, which the same gateway serves. */
export const consoleUrl = (url: string): string => url.replace(/\/v2$/, '');
