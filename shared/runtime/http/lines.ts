import type { StreamReply } from '@assay/contracts/define';
import type { z } from 'zod';
import { inSlices, nextTurn } from '../concurrency/event-loop.ts';
import { inChunks, onOneLine } from './chunks.ts';
import { compileSerializer } from './serialize.ts';

/**
 * Text is sent when it has this many characters: a chunk for each line would cost more than the
 * line.
 */
const chunkCharacters = 64 * 1024;

/** Writes values as NDJSON, in chunks of about 64 KiB. */
export async function* toLines(values: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const value of inSlices(values)) {
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

/** A reply of NDJSON whose lines are made as they are sent. */
export const linesReply = (lines: AsyncIterable<readonly Uint8Array[]>): StreamReply => ({
  contentType: 'application/x-ndjson',
  stream: inChunks(lines),
});

const lineBreak = Buffer.from('\n');

/**
 * Creates a writer of values as NDJSON by the schema of their `kind`: only the fields that it
 * declares, and each payload as the bytes that were sent, but for line breaks between its tokens. A
 * payload that is in the database is read as it is written.
 */
export function createLineWriter<Schemas extends Record<string, z.ZodType>>(
  schemas: Schemas,
): (
  values: AsyncIterable<{ kind: string } & z.input<Schemas[keyof Schemas]>>,
) => AsyncGenerator<Uint8Array[]> {
  const serializers = new Map(
    Object.entries(schemas).map(([kind, schema]) => [kind, compileSerializer(schema)]),
  );
  return async function* write(values) {
    for await (const value of values) {
      let ready: Uint8Array[] = [];
      for (const part of serializers.get(value.kind)!(value)) {
        if (typeof part === 'string') ready.push(Buffer.from(part));
        else if (part instanceof Uint8Array) ready.push(onOneLine(part));
        else {
          yield ready;
          ready = [];
          for await (const chunk of part.read()) yield [onOneLine(chunk)];
        }
      }
      ready.push(lineBreak);
      yield ready;
    }
  };
}
