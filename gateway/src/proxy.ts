import type { Readable } from 'node:stream';
import { noSuchRoute } from '@assay/runtime/http/application';
import type { Upstream } from '@assay/runtime/http/upstreams';
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { ClientGone } from './body.ts';
import { exchangeOf } from './exchange.ts';
import { type Attempt, isEventStream, type Outgoing, ownHeaders, unsigned } from './forward.ts';
import type { Route } from './routing.ts';

interface ProxyOptions {
  upstreams: Upstream[];
  routes: Route[];
  base: string;
  /** Answers a request that is short; lets any other go on to `proxied`. */
  answerShort: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  proxied: (request: FastifyRequest, attempt: (outgoing: Outgoing) => Attempt) => Promise<void>;
}

/** Takes the routes, and proxies the requests that `answerShort` does not answer. */
export function proxyTo(
  app: FastifyInstance,
  { upstreams, routes, base, answerShort, proxied }: ProxyOptions,
): void {
  const replicas = upstreams.flatMap((upstream) => upstream.replicas);
  const poolOf = new Map(replicas.map(({ origin, pool }) => [origin, pool]));
  const request = (options: Dispatcher.RequestOptions, callback: never) =>
    poolOf.get(String(options.origin))!.request(options, callback);
  // The proxy's own refusal of a path that leads out of its prefix, `/sessions/..%2f..`.
  app.setErrorHandler((error: { code?: string; statusCode?: number }) => {
    throw error.statusCode === 400 && error.code === undefined ? noSuchRoute() : error;
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
      getUpstream: () => replicas[0]!.origin,
      // Which requests may be repeated is for `forward` to say.
      retryDelay: () => null,
      rewriteHeaders: (headers) =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name))),
    },
    handler: async (request, reply, source, options) => {
      await proxied(request, (outgoing) => attemptBy(request, reply, outgoing, source, options));
      return reply;
    },
  });
}

/**
 * The path as the proxy sends it, which writes some characters in another way: the service checks
 * that it is the one that was signed.
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
      const stream = body.kind === 'streamed' ? body.open(inFlight.bodySent) : undefined;
      exchange.abort = () => stream?.destroy(gone.error);
      response.once('close', () => {
        inFlight.ended();
        settle(gone);
      });
      request.body = stream;
      reply.from(source, {
        ...options,
        getUpstream: () => replica.origin,
        rewriteRequestHeaders: () => headers,
        onResponse: (_request, _reply, { stream: content, statusCode }) => {
          const replied = content as unknown as Readable;
          inFlight.replyBegan();
          replied.once('close', inFlight.ended);
          if (statusCode === 401 || response.headersSent) {
            replied.on('error', () => undefined).destroy();
            settle(response.headersSent ? undefined : { error: unsigned(), wasSent: true });
            return;
          }
          exchange.isEndless = isEventStream(reply.getHeader('content-type'));
          // Of @fastify/reply-from, where the body is still coming in: it is read on here.
          reply.removeHeader('connection');
          reply.send(replied);
          settle(undefined);
        },
        onError: (_reply, { error: { cause, ...error } }) => {
          inFlight.ended();
          const fault = (cause ?? error) as Error;
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
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** True if no connection was made, so that nothing was sent. */
const isUnreached = (error: Error): boolean =>
  unreachedCodes.has((error as { code?: string }).code ?? '');
