import { Failure } from '@assay/contracts/failure';
import { nextTurn } from '../concurrency/event-loop.ts';
import { entriesOf } from './entries.ts';
import { createLineSplitter } from './splitters.ts';

/**
 * Yields the lines of a body as they come in, without their line breaks; blank ones are skipped. A
 * body that is left early is read to its end, and dropped.
 * @throws PAYLOAD_TOO_LARGE for a line of more than `bytesMax`, VALIDATION_ERROR for one that pauses.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  for await (const found of entriesOf(stream, createLineSplitter(bytesMax)))
    for (const entry of found) {
      if (entry instanceof Failure) throw entry;
      yield entry;
      const turn = nextTurn();
      if (turn) await turn;
    }
}
