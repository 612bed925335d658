import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '@assay/contracts/failure';
import { createReservation, type Reservation } from '../concurrency/held-bytes.ts';
import { inlineBytesMax } from './body.ts';
import { tooLarge } from './failures.ts';
import type { Reply } from './reply.ts';

/** A request's body in memory. */
export interface ReceivedBody {
  bytes: Buffer;
  /** Releases the body's memory once `response` is sent or its connection closed. */
  release(response: ServerResponse): void;
}

/**
 * Collects the body of a request, of at most `bytesMax`. A body above 256 KiB, or of unknown
 * length, reserves memory as it arrives, so that a slow client holds only the bytes that it has
 * sent. It is refused before it is read if there is no room for its Content-Length; a refused body
 * is drained, so that the answer arrives.
 * @throws PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE while too much is taken, MALFORMED_JSON for a body
 * that ends early.
 */
export function receiveBody(
  request: IncomingMessage,
  { organizationId, bytesMax }: { organizationId: string; bytesMax: number },
): Promise<ReceivedBody> {
  const length = request.headers['content-length'];
  const lengthBytes = length === undefined ? undefined : Number(length);
  if (lengthBytes !== undefined && lengthBytes > bytesMax) throw tooLarge(bytesMax);
  if (lengthBytes !== undefined && lengthBytes <= inlineBytesMax)
    return collect(request, createPieces(), noReservation);
  const reservation = createReservation(organizationId);
  if (lengthBytes !== undefined) reservation.check(lengthBytes);
  return collect(
    request,
    counted(
      lengthBytes === undefined ? createPieces() : createPreallocated(lengthBytes),
      reservation,
      bytesMax,
    ),
    reservation,
  );
}

/**
 * Reserves memory for a large reply until `response` is sent or its connection closed.
 * @throws SERVICE_UNAVAILABLE while too much is taken and `mayRefuse` is set. The reply to a write
 * is never refused.
 */
export function holdReply(
  body: Reply['body'],
  response: ServerResponse,
  { organizationId, mayRefuse }: { organizationId: string; mayRefuse: boolean },
): void {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0;
  if (bytes <= inlineBytesMax) return;
  const reservation = createReservation(organizationId);
  reservation.take(bytes, mayRefuse);
  releaseOnClose(reservation, response);
}

const noReservation: Pick<Reservation, 'release'> = { release: () => undefined };

function releaseOnClose({ release }: Pick<Reservation, 'release'>, response: ServerResponse): void {
  if (response.destroyed) release();
  else response.once('close', release);
}

/** Collects the bytes of a body as they arrive. */
interface BodyPieces {
  add(piece: Buffer): void;
  bytes(): Buffer;
}

function createPieces(): BodyPieces {
  const pieces: Buffer[] = [];
  return {
    add: (piece) => pieces.push(piece),
    bytes: () => (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)),
  };
}

function counted(
  { add, bytes }: BodyPieces,
  reservation: Reservation,
  bytesMax: number,
): BodyPieces {
  let received = 0;
  return {
    add: (piece) => {
      received += piece.length;
      if (received > bytesMax) throw tooLarge(bytesMax);
      reservation.take(piece.length);
      add(piece);
    },
    bytes,
  };
}

/**
 * A buffer of the whole length, whose pages the system allocates as they are written. Pieces would
 * be copied into such a buffer at the end, and take twice the memory.
 */
function createPreallocated(lengthBytes: number): BodyPieces {
  const whole = Buffer.allocUnsafeSlow(lengthBytes);
  let filled = 0;
  return {
    add: (piece) => {
      filled += piece.copy(whole, filled);
    },
    bytes: () => whole,
  };
}

function collect(
  request: IncomingMessage,
  collected: BodyPieces,
  reservation: Pick<Reservation, 'release'>,
): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    const refuse = (failure: unknown) => {
      request.off('data', add).resume();
      reservation.release();
      reject(failure);
    };
    const add = (piece: Buffer) => {
      try {
        collected.add(piece);
        // A piece in each turn of the event loop, else all that has come is read at once, and small
        // requests wait for megabytes.
        if (reservation !== noReservation) {
          request.pause();
          setImmediate(() => request.resume());
        }
      } catch (failure) {
        refuse(failure);
      }
    };
    request.on('data', add);
    request.once('error', (cause) =>
      refuse(new Failure('MALFORMED_JSON', 'The body ended early.', { cause })),
    );
    request.once('end', () =>
      resolve({
        bytes: collected.bytes(),
        release: (response) => releaseOnClose(reservation, response),
      }),
    );
  });
}
