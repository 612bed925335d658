import { nextTurn } from '../concurrency/event-loop.ts';

/** Chunks of at least this size are sent: one for each part would cost more than the part. */
const chunkBytes = 64 * 1024;

/**
 * Joins parts into chunks of at least 64 KiB; only the last may be smaller. Parts that are ready
 * together stay in one chunk. Between them the event loop turns, since a batch of a cursor, or what
 * is made of it, is ready at once.
 */
export async function* inChunks(
  parts: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const ready of parts) {
    for (const part of ready) {
      waiting.push(part);
      bytes += part.length;
    }
    const turn = nextTurn();
    if (turn) await turn;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * In JSON a line break stands between tokens only: without it the text, or this stretch of a text,
 * means the same.
 */
export function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(lineFeed) && !json.includes(carriageReturn)) return json;
  const kept = new Uint8Array(json.length);
  let bytes = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (byte !== lineFeed && byte !== carriageReturn) kept[bytes++] = byte;
  }
  return kept.subarray(0, bytes);
}
