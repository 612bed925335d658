import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGunzip } from 'node:zlib';
import { Failure } from '@assay/contracts/failure';
import { tooLarge } from '@assay/runtime/failures';
import type { RoutedOperation } from './routing.ts';

/** Bodies up to this are held whole and sent at once: half the work of a stream. */
const heldBytesMax = 256 * 1024;

/** A body on its way to a service. `open` may be called again as long as nothing was read from what it gave. */
export type OutgoingBody =
  | { kind: 'none' }
  | { kind: 'held'; bytes: Buffer }
  | { kind: 'streamed'; lengthBytes: number | undefined; open: () => AsyncIterable<Uint8Array> };

const none: OutgoingBody = { kind: 'none' };

/** Has this request a body, by RFC 9112 section 6? */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/**
 * Takes a request's body within the limit of its operation, decoded. Nothing of it is parsed.
 * @throws PAYLOAD_TOO_LARGE by its Content-Length, UNSUPPORTED_MEDIA_TYPE for a coding other than gzip; the stream throws
 * PAYLOAD_TOO_LARGE by counting, MALFORMED_JSON for broken gzip.
 */
export function takeBody(
  request: IncomingMessage,
  response: ServerResponse,
  operation: RoutedOperation,
): OutgoingBody | Promise<OutgoingBody> {
  if (!hasBody(request) || request.method === 'GET') return none;
  const isGzip = isGzipped(request);
  const length = request.headers['content-length'];
  const lengthBytes = isGzip || length === undefined ? undefined : Number(length);
  if (lengthBytes !== undefined && lengthBytes > operation.bodyBytesMax) throw tooLarge(operation.bodyBytesMax);
  if (lengthBytes !== undefined && lengthBytes <= heldBytesMax && !operation.isStreamed) return hold(request, response, lengthBytes);
  const open = () => countedBytes(isGzip ? gunzipped(request) : bytesOf(request), operation.bodyBytesMax, () => goOn(request, response));
  return { kind: 'streamed', lengthBytes, open };
}

function isGzipped({ headers }: IncomingMessage): boolean {
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'gzip' || coding === 'x-gzip') return true;
  if (coding === 'identity' || coding === '') return false;
  throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'A body is taken as it is or with "Content-Encoding: gzip".');
}

/** A client that asked first is told to send. */
function goOn(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined) response.writeContinue();
}

/** The client went away before its body was whole: nobody is left to be told. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

function hold(request: IncomingMessage, response: ServerResponse, lengthBytes: number): Promise<OutgoingBody> {
  goOn(request, response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => resolve({ kind: 'held', bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, lengthBytes) }));
    request.once('error', () => reject(new ClientGone('the client went away while sending its body')));
  });
}

async function* bytesOf(request: IncomingMessage): AsyncIterable<Uint8Array> {
  try {
    // Leaving the loop early must not destroy the request, whose connection still has to carry the answer.
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new ClientGone('the client went away while sending its body', { cause });
  }
}

async function* countedBytes(source: AsyncIterable<Uint8Array>, limitBytes: number, started: () => void): AsyncIterable<Uint8Array> {
  started();
  let counted = 0;
  for await (const chunk of source) {
    counted += chunk.length;
    if (counted > limitBytes) throw tooLarge(limitBytes);
    yield chunk;
  }
}

async function* gunzipped(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  const cut = () => gunzip.destroy(new ClientGone('the client went away while sending its body'));
  request.once('error', cut);
  request.pipe(gunzip);
  try {
    yield* gunzip;
  } catch (error) {
    throw isZlibError(error) ? new Failure('MALFORMED_JSON', 'The body is not valid gzip.', { cause: error }) : error;
  } finally {
    request.off('error', cut);
    request.unpipe(gunzip);
    gunzip.destroy();
  }
}

const isZlibError = (error: unknown): boolean => String((error as { code?: unknown }).code ?? '').startsWith('Z_');
