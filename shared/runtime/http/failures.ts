import { conflict, Failure, unavailable } from '@assay/contracts/failure';
import type { FastifyRequest } from 'fastify';
import { isDatabaseAway, isTooSlow } from '../mongo/errors.ts';

/**
 * Converts any thrown value into the failure that the client sees. An unexpected error reveals
 * nothing about the inside.
 */
export function toFailure(error: unknown, request?: FastifyRequest): Failure {
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
  request: FastifyRequest,
): Failure | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Failure(
        'UNSUPPORTED_MEDIA_TYPE',
        `A body of type "${request.headers['content-type'] ?? ''}" is not taken here.`,
      );
    // The same code comes from a connection of ours that broke off, for instance to the database.
    case 'ECONNRESET':
      return request.raw.complete
        ? undefined
        : new Failure('MALFORMED_JSON', 'The body ended early.');
    default:
      return undefined;
  }
}

/** A body over the limit of its operation. */
export const tooLarge = (limitBytes: number): Failure =>
  new Failure('PAYLOAD_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`, {
    details: { limitBytes },
  });

/** An Idempotency-Key that came with one body before, and comes with another. */
export const usedWithAnotherBody = (): Failure =>
  conflict('This Idempotency-Key was used with another body.');
