import { byteOrderMarkBytes, hasByteOrderMark } from '../byte-order-mark.ts';
import { readToEnd } from './read-to-end.ts';
import type { RawEntry, Splitter } from './splitters.ts';

/** A client that compresses may have sent a part of a line before it makes the next one. */
const silenceMsDefault = 60_000;

/**
 * Yields the entries of a body, those of a chunk together. An entry of which a part has come must
 * go on within `silenceMs`: else the part is dropped, and the entry is a failure.
 */
export async function* entriesOf(
  stream: AsyncIterable<Uint8Array>,
  splitter: Splitter,
  { silenceMs = silenceMsDefault }: { silenceMs?: number | undefined } = {},
): AsyncGenerator<Iterable<RawEntry>> {
  try {
    const chunks = readToEnd(stream, { afterMs: silenceMs, tell: splitter.abandon });
    for await (const chunk of withoutByteOrderMark(chunks)) yield splitter.push(chunk);
    yield splitter.end();
  } finally {
    splitter.release();
  }
}

async function* withoutByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst && hasByteOrderMark(chunk) ? chunk.subarray(byteOrderMarkBytes) : chunk;
    isFirst = false;
  }
}
