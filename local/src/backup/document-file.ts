import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** Identifies a sequence of documents. */
export interface Digest {
  documents: number;
  bytes: number;
  sha256: string;
}

export interface Counting {
  /** The same documents, counted as they pass. */
  documents: AsyncIterable<Uint8Array>;
  digest(): Digest;
}

export function counting(
  source: AsyncIterable<Uint8Array>,
  { tell, signal }: { tell: (documents: number) => void; signal: AbortSignal },
): Counting {
  const hash = createHash('sha256');
  let documents = 0;
  let bytes = 0;
  async function* through() {
    for await (const document of source) {
      signal.throwIfAborted();
      hash.update(document);
      bytes += document.byteLength;
      documents += 1;
      tell(documents);
      yield document;
    }
  }
  return {
    documents: through(),
    digest: () => ({ documents, bytes, sha256: hash.copy().digest('hex') }),
  };
}

/** Reads them to their end. */
export async function digestOf({ documents, digest }: Counting): Promise<Digest> {
  for await (const _ of documents);
  return digest();
}

/**
 * Uses gzip at its fastest level, because the disk does not limit a backup. The file is durable
 * when the promise resolves.
 */
export async function writeDocuments(
  path: string,
  documents: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const packed = createGzip({ level: 1 });
    await pipeline(
      Readable.from(inPieces(documents), { objectMode: false }),
      packed,
      (pieces: AsyncIterable<Buffer>) => writeFile(file, pieces),
    );
    await file.sync();
  } finally {
    await file.close();
  }
}

const pieceBytes = 256 * 1024;

/** Many small documents cost as little as a few large ones. */
async function* inPieces(documents: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const document of documents) {
    held.push(document);
    heldBytes += document.byteLength;
    if (heldBytes < pieceBytes) continue;
    yield Buffer.concat(held);
    [held, heldBytes] = [[], 0];
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

const lengthBytes = 4;

/** The documents of such a file: each begins with its length, as BSON does. */
export async function* readDocuments(path: string): AsyncGenerator<Uint8Array> {
  const source = createReadStream(path, { highWaterMark: pieceBytes });
  const unpacked = createGunzip({ chunkSize: pieceBytes });
  source.once('error', (error) => unpacked.destroy(error));
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of source.pipe(unpacked)) {
      let from = 0;
      const all: Buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      for (;;) {
        const length =
          all.length - from < lengthBytes ? Number.POSITIVE_INFINITY : all.readInt32LE(from);
        if (from + length > all.length) break;
        if (length <= lengthBytes) throw new Error('a document has no length');
        yield all.subarray(from, from + length);
        from += length;
      }
      rest = all.subarray(from);
    }
    if (rest.length > 0) throw new Error('it ends inside a document');
  } catch (error) {
    throw new Error(`${path} is damaged (${(error as Error).message}).`, { cause: error });
  } finally {
    source.destroy();
  }
}
