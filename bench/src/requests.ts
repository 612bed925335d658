import { identityHeader, sealIdentity } from '@assay/runtime/signature';
import { authorizationOf } from './client.ts';
import type { Request } from './load.ts';
import type { Installation, Setting } from './setting.ts';

/** Where requests go, and what tells who sends them. */
export interface Door {
  url: string;
  /** What stands before the path of an operation. */
  base: string;
  headers: Record<string, string>;
}

/** A baseline: it knows no keys. */
export const bare = ({ url }: { url: string }): Door => ({ url, base: '', headers: {} });

/** A gateway. */
export const throughGateway = ({ url, key }: { url: string; key: string }): Door => ({ url, base: '/v2', headers: authorizationOf(key) });

/** The service itself, asked as the gateway asks it; good for five minutes. */
export const behindGateway = ({ secret }: Setting, { programOf, organizationId }: Installation, service: string): Door => ({
  url: programOf(service).url,
  base: '',
  headers: {
    [identityHeader]: sealIdentity(secret, { organizationId, userId: 'bench', role: 'admin', apiKeyId: null, requestId: 'bench' }),
  },
});

export const getOf = ({ url, base, headers }: Door, path: string): Request => ({ url, method: 'GET', path: `${base}${path}`, headers });

export const postOf = (door: Door, path: string, body: unknown): Request => postTextOf(door, path, JSON.stringify(body));

export const postTextOf = ({ url, base, headers }: Door, path: string, body: string): Request => ({
  url,
  method: 'POST',
  path: `${base}${path}`,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

/** A body of NDJSON, without its lines. */
export const linesTo = ({ url, base, headers }: Door, path: string): Request => ({
  url,
  method: 'POST',
  path: `${base}${path}`,
  headers: { 'content-type': 'application/x-ndjson', ...headers },
});
