import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { unanswered } from '@assay/contracts/failure';
import { noSuchRoute } from '@assay/runtime/http/application';
import { avoid } from '@assay/runtime/http/upstreams';
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher, Pool } from 'undici';
import { ClientGone } from './body.ts';
import { exchangeOf } from './exchange.ts';
import {
  type Attempt,
  isBroken,
  isEventStream,
  isNotServed,
  isUnsigned,
  notServed,
  type Outgoing,
  ownHeaders,
  unsigned,
} from './forward.ts';
import type { Route } from './routing.ts';

/**
 * The connections that take a request, and the signal that ends it, travel with its headers: the
 * proxy passes nothing else of an attempt on to undici.
 */
const poolKey = Symbol('pool');
const signalKey = Symbol('signal');

interface ProxiedOptions extends Omit<Dispatcher.RequestOptions, 'headers'> {
  headers: Record<string, string> & { [poolKey]: Pool; [signalKey]: AbortSignal };
}

interface ProxyOptions {
  routes: Route[];
  base: string;
  /** Answers a request that is short; lets any other go on to `proxied`. */
  answerShort: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  proxied: (request: FastifyRequest, attempt: (outgoing: Outgoing) => Attempt) => Promise<void>;
}

/** Takes the routes, and proxies the requests that `answerShort` does not answer. */
export function proxyTo(
  app: FastifyInstance,
  { routes, base, answerShort, proxied }: ProxyOptions,
): void {
  const request = ({ headers, ...options }: ProxiedOptions, callback: never) =>
    headers[poolKey].request({ ...options, headers, signal: headers[signalKey] }, callback);
  app.setErrorHandler((error: ProxyError) => {
    throw failureOf(error);
  });
  void app.register(httpProxy, {
    prefix: base,
    routes: routes.map(({ path }) => path),
    httpMethods: app.supportedMethods as never,
    upstream: '',
    undici: { request } as never,
    disableCache: true,
    disableRequestLogging: true,
    internalRewriteLocationHeader: false,
    preHandler: (request, reply, done) => void answerShort(request, reply).then(() => done(), done),
    replyOptions: {
      // Each attempt names its own; the proxy wants one before there is any.
      getUpstream: () => 'http://service',
      // Which requests may be repeated is for `forward` to say.
      retryDelay: () => null,
      rewriteHeaders: (headers, request) => {
        exchangeOf(request!.raw as IncomingMessage).takeSession?.(headers);
        return Object.fromEntries(
          Object.entries(headers).filter(([name]) => !ownHeaders.has(name)),
        );
      },
    },
    handler: async (request, reply, source, options) => {
      await proxied(request, (outgoing) => attemptBy(request, reply, outgoing, source, options));
      return reply;
    },
  });
}

type ProxyError = Error & { code?: string; statusCode?: number };

/** Translates two errors of the proxy: a refused path, and a reply that ended before its first byte. */
function failureOf(error: ProxyError): Error {
  // The path leads out of its prefix: `/agents/..%2f../simulate`.
  if (error.statusCode === 400 && error.code === undefined) return noSuchRoute();
  return isBroken(error) || error.code?.startsWith('UND_ERR_') ? unanswered(error) : error;
}

/**
 * Returns the path as the proxy will send it, some characters of which it encodes anew. This is the
 * path to sign, because the service checks the signature against what arrives.
 */
export function proxiedPath(path: string): string {
  const [, pathname, query] = /^([^?]*)(.*)$/s.exec(path)!;
  return new URL(pathname!, 'http://service').pathname + query;
}

function attemptBy(
  request: FastifyRequest,
  reply: FastifyReply,
  { headers, body }: Outgoing,
  source: string,
  options: Parameters<FastifyReply['from']>[1],
): Attempt {
  const exchange = exchangeOf(request.raw);
  const { response } = exchange;
  return ({ replica }, inFlight) =>
    new Promise((settle) => {
      const gone = { error: new ClientGone('the client went away'), wasSent: true };
      if (response.destroyed) {
        inFlight.ended();
        return settle(gone);
      }
      const leaving = new AbortController();
      exchange.abort = () => leaving.abort(gone.error);
      response.once('close', () => {
        inFlight.ended();
        settle(gone);
      });
      request.body = body.kind === 'streamed' ? body.open(inFlight.bodySent) : undefined;
      reply.from(source, {
        ...options,
        getUpstream: () => replica.origin,
        // The path of the call, which is signed: a client's may have the token of a download.
        queryString: () => /\?(.*)$/s.exec(exchange.call!.path)?.[1] ?? '',
        rewriteRequestHeaders: () => ({
          ...headers(),
          [poolKey]: replica.pool,
          [signalKey]: leaving.signal,
        }),
        onResponse: (_request, _reply, { stream: content, statusCode }) => {
          const replied = content as unknown as Readable;
          inFlight.replyBegan();
          replied.once('close', inFlight.ended);
          if (isNotServed(reply.getHeaders())) {
            inFlight.ended();
            replied.on('error', () => undefined).destroy();
            // The next process has its own.
            for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
            avoid(replica);
            // Some of a body that streams has been taken.
            return settle({ error: notServed(), wasSent: body.kind === 'streamed' });
          }
          const isRefused = isUnsigned(statusCode, exchange.call!);
          if (isRefused || response.headersSent || response.destroyed) {
            replied.on('error', () => undefined).destroy();
            return settle(isRefused ? { error: unsigned(), wasSent: true } : gone);
          }
          exchange.isEndless = isEventStream(reply.getHeader('content-type'));
          // Of @fastify/reply-from, where the body is still coming in: it is read on here.
          reply.removeHeader('connection');
          reply.send(replied);
          settle(undefined);
        },
        onError: (_reply, { error }) => {
          inFlight.ended();
          const fault = (error.cause ?? error) as Error;
          settle({ error: fault, wasSent: !isUnreached(fault) });
        },
      });
    });
}

const unreachedCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  // Of a replica that was looked up no more.
  'UND_ERR_CLOSED',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True if no connection was made, so that nothing was sent. */
const isUnreached = (error: Error): boolean =>
  unreachedCodes.has((error as { code?: string }).code ?? '');
