import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure, unavailable } from '@assay/contracts/failure';
import type { Answer } from './answer.ts';
import { inlineBytesMax } from './body.ts';
import { tooLarge } from './failures.ts';
import { createFairShare } from './fair-share.ts';

/** What the large bodies and replies of one organization may take of a process: 17 of the largest (15 MiB). A reserve is for the others. */
const heldBytesMax = 256 * 1024 * 1024;

// One account a process, whichever of its services a body is of: they share its memory.
const held = createFairShare(heldBytesMax);

/** How much of it is taken at the moment. */
export const heldBodyBytes = (): number => held.heldByAll();

/** A request's body in memory. */
export interface ReceivedBody {
  bytes: Buffer;
  /** Gives back what the body takes, once `response` is out or its connection gone. A small body takes nothing. */
  release(response: ServerResponse): void;
}

/**
 * Collects the body of a request, of at most `bytesMax`. One above 256 KiB, or of unknown length, is accounted for as it comes in, so that
 * a slow client holds what it has sent and no more; it is refused before anything is read when its Content-Length has no room. What is
 * refused is read on and dropped, so that the answer arrives.
 * @throws PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE while too much is held, MALFORMED_JSON for a body that ends early.
 */
export function receiveBody(
  request: IncomingMessage,
  { organizationId, bytesMax }: { organizationId: string; bytesMax: number },
): Promise<ReceivedBody> {
  const length = request.headers['content-length'];
  const lengthBytes = length === undefined ? undefined : Number(length);
  if (lengthBytes !== undefined && lengthBytes > bytesMax) throw tooLarge(bytesMax);
  if (lengthBytes !== undefined && lengthBytes <= inlineBytesMax) return collect(request, createPieces(), takesNothing);
  const share = createShare(organizationId);
  if (lengthBytes !== undefined) share.check(lengthBytes);
  return collect(request, counted(lengthBytes === undefined ? createPieces() : createWhole(lengthBytes), share, bytesMax), share);
}

/**
 * Accounts for a large reply until `response` is out or its connection gone: a slow client may take its time to read it.
 * @throws SERVICE_UNAVAILABLE while too much is held and `mayRefuse`: what was done is answered in any case.
 */
export function holdReply(
  body: Answer['body'],
  response: ServerResponse,
  { organizationId, mayRefuse }: { organizationId: string; mayRefuse: boolean },
): void {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body.length : 0;
  if (bytes <= inlineBytesMax) return;
  const share = createShare(organizationId);
  share.take(bytes, mayRefuse);
  giveBack(share, response);
}

/** A body's part of what all bodies take. */
interface Share {
  give(): void;
}

const takesNothing: Share = { give: () => undefined };

function createShare(organizationId: string) {
  let taken = 0;
  const check = (bytes: number) => {
    if (!held.hasRoom(organizationId, bytes)) throw unavailable('More large bodies are being worked on than can be held.');
  };
  return {
    /** Is there room for this much at the moment? */
    check,
    take: (bytes: number, mayRefuse = true) => {
      if (mayRefuse) check(bytes);
      held.take(organizationId, bytes);
      taken += bytes;
    },
    give: () => {
      held.giveBack(organizationId, taken);
      taken = 0;
    },
  };
}

function giveBack({ give }: Share, response: ServerResponse): void {
  if (response.destroyed) give();
  else response.once('close', give);
}

/** Where the bytes of a body go as they come in. */
interface Collected {
  add(piece: Buffer): void;
  bytes(): Buffer;
}

function createPieces(): Collected {
  const pieces: Buffer[] = [];
  return { add: (piece) => pieces.push(piece), bytes: () => (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)) };
}

function counted({ add, bytes }: Collected, share: ReturnType<typeof createShare>, bytesMax: number): Collected {
  let received = 0;
  return {
    add: (piece) => {
      received += piece.length;
      if (received > bytesMax) throw tooLarge(bytesMax);
      share.take(piece.length);
      add(piece);
    },
    bytes,
  };
}

/** Memory that the system gives page by page as it is written. Pieces would be copied into such a one at the end, and be there twice. */
function createWhole(lengthBytes: number): Collected {
  const whole = Buffer.allocUnsafeSlow(lengthBytes);
  let filled = 0;
  return {
    add: (piece) => {
      filled += piece.copy(whole, filled);
    },
    bytes: () => whole,
  };
}

function collect(request: IncomingMessage, collected: Collected, share: Share): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    const refuse = (failure: unknown) => {
      request.off('data', add).resume();
      share.give();
      reject(failure);
    };
    const add = (piece: Buffer) => {
      try {
        collected.add(piece);
        // A piece in each turn of the event loop, else all that has come is read at once, and small requests wait for megabytes.
        if (share !== takesNothing) {
          request.pause();
          setImmediate(() => request.resume());
        }
      } catch (failure) {
        refuse(failure);
      }
    };
    request.on('data', add);
    request.once('error', (cause) => refuse(new Failure('MALFORMED_JSON', 'The body ended early.', { cause })));
    request.once('end', () => resolve({ bytes: collected.bytes(), release: (response) => giveBack(share, response) }));
  });
}
