import { Failure } from '@assay/contracts/failure';
import { nextTurn } from '../concurrency/event-loop.ts';
import { readToEnd } from './read-to-end.ts';
import { createLineSplitter, type RawEntry } from './splitters.ts';

/**
 * Yields the lines of a body as they come in, without their line breaks; blank ones are skipped. A
 * body that is left early is read to its end, and dropped.
 * @throws PAYLOAD_TOO_LARGE for a line of more than `bytesMax`.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  const splitter = createLineSplitter(bytesMax);
  try {
    for await (const chunk of readToEnd(stream)) yield* whole(splitter.push(chunk));
    yield* whole(splitter.end());
  } finally {
    splitter.release();
  }
}

async function* whole(entries: Iterable<RawEntry>): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    if (entry instanceof Failure) throw entry;
    yield entry;
    const turn = nextTurn();
    if (turn) await turn;
  }
}
