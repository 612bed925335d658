import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A reply as it leaves: status, headers, body. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body: string | Buffer | AsyncIterable<Uint8Array | string> | undefined;
}

/**
 * Carries the secret of a new browser session from identity to the gateway, which makes a cookie of
 * it; empty, it ends the cookie.
 */
export const sessionSecretHeader = 'x-assay-session';

/** In the reply of a process that does not serve yet: nothing of the request was looked at. */
export const notServedHeader = 'x-assay-not-served';

/**
 * Carries the second secret of a new browser session to the console, and back with each request. In
 * requests for a session it says that the console sends them.
 */
export const consoleHeader = 'x-assay-console';

/** Sends a reply. */
export function send(response: FastifyReply, { status, headers, body }: Reply): FastifyReply {
  response.code(status).headers(headers ?? {});
  return response.send(
    typeof body === 'string' || Buffer.isBuffer(body) || body === undefined
      ? body
      : Readable.from(body, { objectMode: false }),
  );
}
