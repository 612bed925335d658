import { Decompress } from 'fzstd';

/** Bytes that a frame may make its reader keep, as zstd itself has it. */
const windowBytesMax = 128 * 1024 * 1024;

/** Four bytes can unpack to 128 KiB: so many at once to 16 MiB, before the reader can say stop. */
const stepBytes = 512;

/**
 * Unpacks zstd of any number of frames. @throws where it is damaged, or a frame asks for a window
 * of more than 128 MiB.
 */
export async function* unpackZstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let unpacked: Uint8Array[] = [];
  const decompress = new Decompress((data) => {
    if (data.length > 0) unpacked.push(data.slice());
  });
  const guard = createWindowGuard();
  for await (const chunk of chunks) {
    guard(chunk);
    for (let at = 0; at < chunk.length; at += stepBytes) {
      decompress.push(chunk.subarray(at, at + stepBytes));
      yield* unpacked;
      unpacked = [];
    }
  }
  decompress.push(new Uint8Array(0), true);
  yield* unpacked;
}

/** Follows the frames and their blocks (RFC 8878), which say how long they are. */
function createWindowGuard(): (chunk: Uint8Array) => void {
  let skip = 0;
  let field: number[] = [];
  let isBlock = false;
  let checksumBytes = 0;

  function readFrame(): void {
    const isSkippable = field[0]! >> 4 === 5 && field[1] === 0x2a;
    if (isSkippable) {
      if (field.length < 8) return;
      skip = numberOf(field.slice(4, 8));
      field = [];
      return;
    }
    const flags = field[4]!;
    const isSingle = (flags >> 5) & 1;
    const dictionaryBytes = [0, 1, 2, 4][flags & 3]!;
    const sizeBytes = flags >> 6 ? 1 << (flags >> 6) : isSingle;
    const headerBytes = 6 - isSingle + dictionaryBytes + sizeBytes;
    if (field.length < headerBytes) return;
    const base = 2 ** (10 + (field[5]! >> 3));
    const window = isSingle
      ? numberOf(field.slice(headerBytes - sizeBytes, headerBytes))
      : base + (base / 8) * (field[5]! & 7);
    if (window > windowBytesMax) throw new Error('a window that is too large');
    checksumBytes = flags & 4 ? 4 : 0;
    isBlock = true;
    field = [];
  }

  function readBlock(): void {
    const header = numberOf(field);
    const isRepeated = ((header >> 1) & 3) === 1;
    const isLast = (header & 1) === 1;
    skip = (isRepeated ? 1 : header >> 3) + (isLast ? checksumBytes : 0);
    isBlock = !isLast;
    field = [];
  }

  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (skip > 0) {
        const step = Math.min(skip, chunk.length - at);
        skip -= step;
        at += step;
        continue;
      }
      field.push(chunk[at]!);
      at += 1;
      if (isBlock && field.length === 3) readBlock();
      else if (!isBlock && field.length >= 5) readFrame();
    }
  };
}

/** Little-endian. */
const numberOf = (bytes: number[]): number =>
  bytes.reduceRight((number, byte) => number * 256 + byte, 0);
