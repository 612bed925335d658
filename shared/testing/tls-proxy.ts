import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request as requestFrom } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { makeCertificateIn } from './certificate.ts';

/** A proxy that ends TLS, as operators put one before the gateway. */
export interface TlsProxy extends AsyncDisposable {
  /** Where clients reach it: `https://127.0.0.1:<port>`. */
  origin: string;
  /** Says where requests go; until then they are a 502. */
  passTo(url: string): void;
}

/** Headers of one connection (RFC 9110, section 7.6.1): HTTP/2 has none of them. */
const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/**
 * Listens on 127.0.0.1 by HTTP/2 and HTTP/1.1, with a certificate that nobody trusts, and passes
 * requests on by plain HTTP/1.1: with their path and `Host` as they came, as
 * `proxy_set_header Host $host` does. Replies are passed on as they come, piece by piece.
 */
export async function startTlsProxy(): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-tls-'));
  const files = await makeCertificateIn(folder);
  let target: string | undefined;

  function pass(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const { method, headers, url: path } = request;
    const host = headers[':authority'] ?? headers.host;
    if (target === undefined) return void response.writeHead(502).end();
    const passed = requestFrom(`${target}${path}`, {
      method,
      headers: { ...ownHeaders(headers), host, 'x-forwarded-proto': 'https' },
    });
    passed.on('response', (reply) => {
      response.writeHead(reply.statusCode!, ownHeaders(reply.headers));
      pipeline(reply, response.stream ?? response, () => undefined);
    });
    passed.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  }

  const server = createSecureServer(
    {
      allowHTTP1: true,
      cert: await readFile(files.certificate),
      key: await readFile(files.key),
    },
    pass,
  );
  await rm(folder, { recursive: true });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passTo: (url) => {
      target = url;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const session of sessions) session.destroy();
      await once(server, 'close');
    },
  };
}

const ownHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith(':') && !connectionHeaders.has(name),
    ),
  );
