import type { IncomingMessage } from 'node:http';
import { conflict, Failure, unavailable } from '@assay/contracts/failure';
import { isDatabaseAway, isTooSlow } from '../mongo/errors.ts';

interface FailedRequest {
  id: string;
  raw: IncomingMessage;
}

/**
 * Converts any thrown value into the failure that the client sees. An unexpected error reveals
 * nothing about the inside.
 */
export function toFailure(error: unknown, request?: FailedRequest): Failure {
  if (error instanceof Failure) return error;
  const fromServer =
    request && fastifyFailure(error as { code?: string; statusCode?: number }, request);
  if (fromServer) return fromServer;
  if (isTooSlow(error))
    return unavailable(
      'This took the database too long: ask for less at once, or with fewer filters.',
      error,
    );
  if (isDatabaseAway(error)) return unavailable('The database does not answer.', error);
  return new Failure('INTERNAL_ERROR', 'Something went wrong on our side.', {
    details: request ? { requestId: request.id } : {},
    cause: error,
  });
}

function fastifyFailure(
  error: { code?: string; statusCode?: number },
  { raw }: FailedRequest,
): Failure | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Failure(
        'UNSUPPORTED_MEDIA_TYPE',
        `A body of type "${raw.headers['content-type'] ?? ''}" is not taken here.`,
      );
    // The same code comes from a connection of ours that broke off, for instance to the database.
    case 'ECONNRESET':
      return raw.complete ? undefined : new Failure('MALFORMED_JSON', 'The body ended early.');
    default:
      return undefined;
  }
}

/**
 * Returns the reply of a failure: the one place where it gets its status, headers and shape
 * (contract section 1, Errors).
 */
export function failureReply(failure: Failure) {
  const { status, code, message, details, retryAfterSeconds } = failure;
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  else if (code === 'CONFLICT') headers['x-should-retry'] = 'false';
  if (code === 'RANGE_NOT_SATISFIABLE') headers['content-range'] = `bytes */${details.byteLength}`;
  if (code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer';
  return { status, headers, body: JSON.stringify({ code, message, details }) };
}

/** A body over the limit of its operation. */
export const tooLarge = (limitBytes: number): Failure =>
  new Failure('PAYLOAD_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`, {
    details: { limitBytes },
  });

/** An Idempotency-Key that came with one body before, and comes with another. */
export const usedWithAnotherBody = (): Failure =>
  conflict('This Idempotency-Key was used with another body.');
