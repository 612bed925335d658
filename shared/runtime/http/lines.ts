import { nextTurn } from '../concurrency/event-loop.ts';

/**
 * Text is sent when it has this many characters: a chunk for each line would cost more than the
 * line.
 */
const chunkCharacters = 64 * 1024;

/** Writes values as NDJSON, in chunks of about 64 KiB. */
export async function* toLines(values: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < chunkCharacters) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/**
 * Reads NDJSON that another service wrote, as it comes in, and lets the event loop turn between
 * lines.
 * @throws when it ends in the middle of a line.
 */
export async function* fromLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      yield JSON.parse(line);
      const turn = nextTurn();
      if (turn) await turn;
    }
  }
  if (rest !== '') throw new Error('a stream of lines ended in the middle of one');
}
