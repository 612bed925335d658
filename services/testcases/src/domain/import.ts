import type { StreamReply } from '@assay/contracts/define';
import { Failure, invalidAt } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import { inlineBytesMax, parseBody, parseBodyAside } from '@assay/runtime/body';
import { toFailure, tooLarge } from '@assay/runtime/failures';
import { skipSpace } from '@assay/runtime/json-scan';
import { createCsvCutter } from './csv.ts';
import { type Cutter, createElementCutter, createLineCutter, entryBytesMax, type RawEntry } from './entries.ts';

export interface ImportedBody {
  /** Undefined where the request has no body at all. */
  stream: AsyncIterable<Uint8Array> | undefined;
  contentType: string | undefined;
}

interface Kept {
  id: string;
  validationErrors?: unknown;
}

/** Commits testcases, all or none. */
type Keep = (data: JsonText[]) => Promise<Kept[]>;

type Entry = JsonText | Failure;

/** Testcases committed at once. */
const batchItemsMax = 100;

/**
 * Imports a body of any size and streams an answer line for each entry, in order, after its commit. Entries are committed as they
 * come in: those of one chunk together, up to 100. One that is none gets a line of its own that says so; what makes the rest unreadable,
 * or keeps it from being stored, ends the import with a last line in place of the first entry that is not stored.
 * @throws that failure itself when no line was answered yet.
 */
export async function importTestcases({
  body,
  schemaText,
  keep,
}: {
  body: ImportedBody;
  schemaText: string;
  keep: Keep;
}): Promise<StreamReply> {
  const lines = answerEntries(readEntries(body.stream ?? nothing(), createCutter(body.contentType, schemaText)), keep);
  const first = await lines.next();
  return { contentType: 'application/x-ndjson', stream: first.done ? lines : resume(first.value, lines) };
}

async function* resume(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

function createCutter(contentType = '', schemaText: string): Cutter {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (type === 'text/csv') return createCsvCutter(schemaText);
  if (type === 'application/json') return createElementCutter();
  if (type === 'application/x-ndjson') return createLineCutter();
  throw new Failure('UNSUPPORTED_MEDIA_TYPE', `A body of type "${contentType}" is not taken here.`);
}

async function* answerEntries(batches: AsyncIterable<Entry[]>, keep: Keep): AsyncGenerator<string> {
  let index = 0;
  try {
    for await (const batch of batches) {
      const answers = await keepBatch(batch, keep);
      yield answers.map((answer, position) => lineOf(index + position, answer)).join('');
      index += batch.length;
    }
  } catch (error) {
    if (index === 0) throw error;
    yield lineOf(index, toFailure(error));
  }
}

async function keepBatch(batch: Entry[], keep: Keep): Promise<(Kept | Failure)[]> {
  const data = batch.filter((entry) => entry instanceof JsonText);
  const kept = data.length > 0 ? (await keep(data)).values() : [].values();
  return batch.map((entry) => (entry instanceof Failure ? entry : kept.next().value!));
}

function lineOf(index: number, answer: Kept | Failure): string {
  const line =
    answer instanceof Failure
      ? { index, status: answer.status, code: answer.code, message: answer.message, details: answer.details }
      : { index, status: 201, id: answer.id, validationErrors: answer.validationErrors };
  return `${JSON.stringify(line)}\n`;
}

async function* readEntries(stream: AsyncIterable<Uint8Array>, cutter: Cutter): AsyncGenerator<Entry[]> {
  for await (const chunk of withoutByteOrderMark(readToEnd(stream))) yield* readBatches(cutter.push(chunk));
  yield* readBatches(cutter.end());
}

async function* readBatches(entries: RawEntry[]): AsyncGenerator<Entry[]> {
  for (let from = 0; from < entries.length; from += batchItemsMax)
    yield await Promise.all(entries.slice(from, from + batchItemsMax).map(readEntry));
}

async function readEntry(raw: RawEntry): Promise<Entry> {
  if (raw instanceof Failure) return aboutEntry(raw);
  try {
    return await readObject(raw);
  } catch (error) {
    if (error instanceof Failure) return aboutEntry(error);
    throw error;
  }
}

async function readObject(raw: Buffer): Promise<JsonText> {
  if (raw.length > entryBytesMax) throw tooLarge(entryBytesMax);
  // The worker takes the memory that it is given.
  const value = raw.length > inlineBytesMax ? await parseBodyAside(Buffer.from(raw), undefined) : parseBody(raw, undefined);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidAt('', 'must be an object');
  return new JsonText(raw.subarray(skipSpace(raw, 0), raw.lastIndexOf('}') + 1));
}

/** The rules of a body hold for an entry, and their sentences name it. */
const aboutEntry = ({ code, message, details }: Failure): Failure =>
  new Failure(code, message.replace(/^The body/, 'The entry'), { details });

/** Bytes of chunks that are taken together. */
const gatheredBytesMax = 1024 * 1024;

/**
 * The chunks of a body; those that have come in already are taken together, so that a fast client's entries are committed by the hundred.
 * Leaving early does not cut the connection, as a plain loop over a request would: the rest is read and dropped, so that the client
 * gets to see its answer.
 */
async function* readToEnd(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  let next = read(chunks);
  try {
    for (let chunk = await next; !chunk.done; chunk = await next) {
      const gathered = [chunk.value];
      let bytes = chunk.value.length;
      next = read(chunks);
      for (let ready = await arrived(next); ready && !ready.done && bytes < gatheredBytesMax; ready = await arrived(next)) {
        gathered.push(ready.value);
        bytes += ready.value.length;
        next = read(chunks);
      }
      yield Buffer.concat(gathered);
    }
  } finally {
    void drop(chunks);
  }
}

type Chunk = IteratorResult<Uint8Array, undefined>;

/** A read that fails is told to whoever awaits it, and is no fault where nobody does any more. */
function read(chunks: AsyncIterator<Uint8Array, undefined>): Promise<Chunk> {
  const next = chunks.next();
  next.catch(() => undefined);
  return next;
}

/** The chunk, where it is there by the next turn of the event loop. */
const arrived = (next: Promise<Chunk>): Promise<Chunk | undefined> =>
  Promise.race([next, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);

async function drop(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // The connection broke: there is nothing left to drop.
  }
}

async function* withoutByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst && chunk.indexOf(byteOrderMark) === 0 ? chunk.subarray(byteOrderMark.length) : chunk;
    isFirst = false;
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

async function* nothing(): AsyncGenerator<Uint8Array> {}
