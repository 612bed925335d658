import { digestOf, requestAct, sealIdentity, streamedBody } from '@assay/runtime/signature';
import { authorizationOf } from './client.ts';
import type { Request } from './load.ts';
import type { Installation, Setting } from './setting.ts';

/** The address of requests, and the headers that identify their sender. */
export interface Door {
  url: string;
  /** The prefix of an operation's path. */
  base: string;
  headersOf(method: string, path: string, body?: string): Record<string, string>;
}

/** A baseline: it knows no keys. */
export const bare = ({ url }: { url: string }): Door => ({ url, base: '', headersOf: () => ({}) });

/** A gateway. */
export const throughGateway = ({ url, key }: { url: string; key: string }): Door => ({
  url,
  base: '/v2',
  headersOf: () => authorizationOf(key),
});

/** The service itself, asked as the gateway asks it; a request is good for half a minute. */
export const behindGateway = (
  { keysOf }: Setting,
  { programOf, organizationId }: Installation,
  service: string,
): Door => ({
  url: programOf(service).url,
  base: '',
  headersOf: (method, path, body) => {
    const identity = {
      organizationId,
      userId: 'bench',
      role: 'admin',
      apiKeyId: null,
      requestId: 'bench',
    } as const;
    const digest = body === undefined && method === 'POST' ? streamedBody : digestOf(body ?? '');
    return sealIdentity(keysOf('gateway'), identity, {
      act: requestAct(method, path),
      digest,
      receiver: service,
    });
  },
});

export const getOf = ({ url, base, headersOf }: Door, path: string): Request => ({
  url,
  method: 'GET',
  path: `${base}${path}`,
  headers: headersOf('GET', path),
});

export const postOf = (door: Door, path: string, body: unknown): Request =>
  postTextOf(door, path, JSON.stringify(body));

export const postTextOf = (
  { url, base, headersOf }: Door,
  path: string,
  body: string,
): Request => ({
  url,
  method: 'POST',
  path: `${base}${path}`,
  headers: { 'content-type': 'application/json', ...headersOf('POST', path, body) },
  body,
});

/** An export of spans through a gateway, without its body. */
export const exportTo = ({ url, key }: { url: string; key: string }): Request => ({
  url,
  method: 'POST',
  path: '/otel/v1/traces',
  headers: { 'content-type': 'application/x-protobuf', ...authorizationOf(key) },
});

/** A body of NDJSON, without its lines. */
export const linesTo = ({ url, base, headersOf }: Door, path: string): Request => ({
  url,
  method: 'POST',
  path: `${base}${path}`,
  headers: { 'content-type': 'application/x-ndjson', ...headersOf('POST', path) },
});
