import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { Failure, invalidAt, unavailable } from '@assay/contracts/failure';
import { createFairShare } from '@assay/runtime/concurrency/fair-share';
import { tooLarge } from '@assay/runtime/http/failures';
import type { Exchange } from './exchange.ts';
import type { RoutedOperation } from './routing.ts';

/** Bodies up to this are held whole and sent at once: half the work of a stream. */
const heldBytesMax = 256 * 1024;

/**
 * Bytes that the held bodies of one organization may take: 512 bodies of the largest size. A
 * reserve on top of it is for the other organizations. A client that sends slowly holds no more
 * than it has sent.
 */
const heldTogetherBytesMax = 128 * 1024 * 1024;

/**
 * A streamed body may become this many times as large as its gzip, beyond the first 4 MiB: lines
 * that differ in a number alone come to a quarter of that.
 */
const expansionMax = 200;
const freelyExpandedBytes = 4 * 1024 * 1024;

/**
 * A body on its way to a service. `open` may be called again until something was read from the
 * stream that it returned.
 */
export type OutgoingBody =
  | { kind: 'none' }
  | { kind: 'held'; bytes: Buffer }
  | {
      kind: 'streamed';
      lengthBytes: number | undefined;
      open: (sent: () => void) => Readable;
    };

const none: OutgoingBody = { kind: 'none' };

/** True if the request has a body (RFC 9112, section 6). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** True if the rest of the body is cheaper to drain than to abort. */
export const isShort = ({ headers }: IncomingMessage): boolean =>
  headers.expect === undefined &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length']) <= heldBytesMax;

/** The client disconnected before its body was complete. No reply can be sent. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/**
 * Takes the bodies of requests within the size limit of their operation, decoded. Does not parse
 * them. A body that is not streamed must be complete `timeoutMs` after it began, and may not pause
 * for `silenceMs`.
 * @throws PAYLOAD_TOO_LARGE by its Content-Length, UNSUPPORTED_MEDIA_TYPE for a coding other than
 * gzip, MALFORMED_JSON for a body that came too slowly, SERVICE_UNAVAILABLE if too much is held;
 * the stream throws PAYLOAD_TOO_LARGE by counting, VALIDATION_ERROR for gzip that expands too far,
 * MALFORMED_JSON for broken gzip and for a body that came too slowly.
 */
export function createBodies({ timeoutMs, silenceMs }: { timeoutMs: number; silenceMs: number }) {
  const held = createFairShare(heldTogetherBytesMax);

  /**
   * Counts the bytes as held for as long as the request is under way, since they may have to be
   * sent again.
   */
  function count(exchange: Exchange, organizationId: string, bytes: number): boolean {
    if (!held.tryToTake(organizationId, bytes)) return false;
    if (exchange.heldBytes === 0)
      exchange.response.once('close', () => held.giveBack(organizationId, exchange.heldBytes));
    exchange.heldBytes += bytes;
    return true;
  }

  function hold(
    exchange: Exchange,
    organizationId: string,
    lengthBytes: number,
  ): Promise<OutgoingBody> {
    const { request } = exchange;
    goOn(exchange);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let received = 0;
      let patience: Patience | undefined;
      const leave = (failure: Error) => {
        patience?.end();
        request.off('data', take).resume();
        reject(failure);
      };
      const take = (chunk: Buffer) => {
        if (!count(exchange, organizationId, chunk.length)) return leave(tooManyHeld());
        received += chunk.length;
        chunks.push(chunk);
        // Most bodies come in one piece, and need no clock.
        if (received >= lengthBytes) return;
        patience ??= createPatience({ exchange, timeoutMs, silenceMs, lost: leave });
        patience.moved();
      };
      request.on('data', take);
      request.once('end', () => {
        patience?.end();
        resolve({
          kind: 'held',
          bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, received),
        });
      });
      request.once('error', () => leave(clientGone()));
    });
  }

  return function takeBody(
    exchange: Exchange,
    operation: RoutedOperation,
    organizationId: string,
  ): OutgoingBody | Promise<OutgoingBody> {
    const { request } = exchange;
    if (!hasBody(request) || request.method === 'GET') return none;
    const isGzip = isGzipped(request);
    const length = request.headers['content-length'];
    const lengthBytes = isGzip || length === undefined ? undefined : Number(length);
    const { bodyBytesMax, isStreamed } = operation;
    if (lengthBytes !== undefined && lengthBytes > bodyBytesMax) throw tooLarge(bodyBytesMax);
    if (lengthBytes !== undefined && lengthBytes <= heldBytesMax && !isStreamed)
      return hold(exchange, organizationId, lengthBytes);
    const open = (sent: () => void) =>
      openBody({
        exchange,
        decoder: isGzip ? createGunzip({ chunkSize: 64 * 1024 }) : undefined,
        bytesMax: bodyBytesMax,
        times: isStreamed ? undefined : { timeoutMs, silenceMs },
        sent,
      });
    return { kind: 'streamed', lengthBytes, open };
  };
}

function isGzipped({ headers }: IncomingMessage): boolean {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'gzip' || coding === 'x-gzip') return true;
  if (coding === 'identity' || coding === '') return false;
  throw new Failure(
    'UNSUPPORTED_MEDIA_TYPE',
    'A body is taken as it is or with "Content-Encoding: gzip".',
  );
}

/** A client that asked first is told to send. */
function goOn({ request, response }: Exchange): void {
  if (request.headers.expect !== undefined) response.writeContinue();
}

/** How long a body may take, and how long none of it may come. */
interface BodyTimes {
  timeoutMs: number;
  silenceMs: number;
}

interface Patience {
  /** Some of the body came. */
  moved(): void;
  end(): void;
}

/**
 * Calls `lost` when the body has taken too long, or has not moved for too long: it holds memory
 * that others could use. While `isHeldUp`, it is we who do not read on.
 */
function createPatience({
  exchange,
  timeoutMs,
  silenceMs,
  lost,
  isHeldUp = () => false,
}: BodyTimes & {
  exchange: Exchange;
  lost: (failure: Failure) => void;
  isHeldUp?: () => boolean;
}): Patience {
  const whole = setTimeout(
    () => lose(`it must be complete within ${timeoutMs / 1000} seconds`),
    timeoutMs,
  );
  const silence = setTimeout(() => {
    if (isHeldUp()) silence.refresh();
    else lose(`nothing of it came for ${silenceMs / 1000} seconds`);
  }, silenceMs);
  const end = () => {
    clearTimeout(whole);
    clearTimeout(silence);
  };
  const lose = (why: string) => {
    end();
    lost(tooSlow(exchange, why));
  };
  return { moved: () => void silence.refresh(), end };
}

/**
 * The body as it comes out of `decoder`, counted. Nothing of the request is read before something
 * of this is. Destroying it does not cut the client's connection.
 */
function openBody({
  exchange,
  decoder,
  bytesMax,
  times,
  sent,
}: {
  exchange: Exchange;
  decoder: Gunzip | undefined;
  bytesMax: number;
  times: BodyTimes | undefined;
  sent: () => void;
}): Readable {
  const { request } = exchange;
  let bytes = 0;
  let hasStarted = false;
  const body: Transform = new Transform({
    highWaterMark: 64 * 1024,
    read(size) {
      if (!hasStarted) start();
      Transform.prototype._read.call(this, size);
    },
    transform: (piece: Buffer, _encoding, done) => {
      bytes += piece.length;
      if (bytes > bytesMax) done(tooLarge(bytesMax));
      else if (decoder && !times && isBomb(bytes, decoder)) done(tooFarExpanded());
      else done(null, piece);
    },
    flush: (done) => {
      sent();
      done();
    },
  });
  const first = decoder ?? body;

  function start(): void {
    hasStarted = true;
    if (request.destroyed) return void body.destroy(clientGone());
    goOn(exchange);
    const cut = () => body.destroy(clientGone());
    const lost = (failure: Failure) => body.destroy(failure);
    const isHeldUp = () => first.writableNeedDrain;
    const patience = times && createPatience({ exchange, ...times, lost, isHeldUp });
    if (patience) request.on('data', patience.moved);
    request.once('error', cut);
    request.pipe(first);
    decoder?.once('error', (error) => body.destroy(notGzip(error))).pipe(body);
    body.once('close', () => {
      patience?.end();
      if (patience) request.off('data', patience.moved);
      request.off('error', cut);
      decoder?.destroy();
      // Reads and drops the rest of the body, so that the client gets to read its answer.
      request.unpipe(first).resume();
    });
  }

  // Whoever reads the body is told as well, or does not read any more.
  return body.on('error', () => undefined);
}

/** Expanded so far that a few bytes of a client could keep a service busy for hours. */
const isBomb = (bytes: number, { bytesWritten }: Gunzip): boolean =>
  bytes > freelyExpandedBytes && bytes > expansionMax * bytesWritten;

const tooFarExpanded = (): Failure =>
  invalidAt('', `must not be more than ${expansionMax} times as large as its gzip`);

const notGzip = (cause: Error): Failure =>
  new Failure('MALFORMED_JSON', 'The body is not valid gzip.', { cause });

const clientGone = (): ClientGone => new ClientGone('the client went away while sending its body');

const tooManyHeld = (): Failure => unavailable('More bodies are coming in than can be held.');

/** Ends the connection with the reply: the next bytes on it would be the rest of this body. */
function tooSlow({ response }: Exchange, why: string): Failure {
  response.shouldKeepAlive = false;
  return new Failure('MALFORMED_JSON', `The body took too long: ${why}.`);
}
