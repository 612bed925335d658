import { Failure, invalidAt } from '@assay/contracts/failure';
import { nextTurn } from '../concurrency/event-loop.ts';
import { awaitAll } from '../concurrency/maybe-async.ts';
import { askersOfProcess } from '../concurrency/organization-context.ts';
import { toFailure } from '../http/failures.ts';
import { entriesOf } from './entries.ts';
import { caught } from './read-to-end.ts';
import type { RawEntry, Splitter } from './splitters.ts';

/** Entries of a body that were read together. */
export interface Batch<Entry> {
  /** The number of the first one, counted from 0. */
  from: number;
  /** The entries that were read; a failure for each that cannot be read. */
  entries: (Entry | Failure)[];
}

/**
 * The answer to an entry: the members of its answer line, without an id where it was only checked;
 * or the failure that kept it from being stored.
 */
export type EntryAnswer = { status: number; id?: string } | Failure;

interface AnsweredEntriesOptions<Entry> {
  stream: AsyncIterable<Uint8Array> | undefined;
  splitter: Splitter;
  /** Reads one entry. A Failure that it throws is the answer to that entry. */
  read: (raw: Buffer) => Promise<Entry> | Entry;
  /**
   * Stores the entries that can be stored, and answers each entry in order. An error that it throws
   * ends the body.
   */
  keep: (batch: Batch<Entry>) => Promise<EntryAnswer[]>;
  /**
   * The most entries in one batch; a quarter of it beside other organizations. Entries that arrive
   * together are read and stored as one batch.
   */
  batchItemsMax: number;
  /**
   * Bytes of the body that are being kept at once, in several batches; a single batch may have
   * more.
   */
  keptBytesMax: number;
  /** Makes a last line, once all entries are stored. An error that it throws is the last line. */
  finish?: (() => Promise<object>) | undefined;
  /** Leaves out the lines of entries: an empty line stands for those of a batch. */
  isWithoutLines?: boolean | undefined;
}

/**
 * Reads a streamed body of any size, one entry at a time, and answers each entry with a line
 * (NDJSON), in order, once its batch is stored. Continues to read while batches are stored, but
 * pauses while `keptBytesMax` bytes are in progress, and while the client does not read its
 * answers. An invalid entry gets a line that says so. A failure that makes the rest unreadable, or
 * prevents its storage, ends the body with a last line in place of the first entry that is not
 * stored; so do 10,000 invalid entries in a row. Other work of the process continues meanwhile.
 * @throws the failure itself if no line has been sent yet.
 */
export async function answerEntries<Entry>(
  options: AnsweredEntriesOptions<Entry>,
): Promise<AsyncIterable<string>> {
  const lines = linesOf(options);
  const first = await lines.next();
  return first.done ? lines : resume(first.value, lines);
}

async function* resume(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield first;
    yield* rest;
  } finally {
    // A reader that left after the first line has not begun with the rest yet.
    await rest.return(undefined);
  }
}

/** Beside others, so many batches are stored in place of one: their writes come in between. */
const batchesBesideOthers = 4;

/**
 * Wrong entries in a row after which a body ends: an answer is a hundred times as long as the
 * shortest of them.
 */
const wrongEntriesMax = 10_000;

async function* linesOf<Entry>(options: AnsweredEntriesOptions<Entry>): AsyncGenerator<string> {
  let index = 0;
  let wrongInARow = 0;
  try {
    for await (const answers of answersOf(options)) {
      yield options.isWithoutLines
        ? '\n'
        : answers.map((answer, position) => lineOf(index + position, answer)).join('');
      index += answers.length;
      const lastRight = answers.findLastIndex((answer) => !(answer instanceof Failure));
      wrongInARow = answers.length - 1 - lastRight + (lastRight < 0 ? wrongInARow : 0);
      if (wrongInARow >= wrongEntriesMax)
        throw invalidAt(
          '',
          `must not have ${wrongEntriesMax.toLocaleString('en')} entries in a row that are wrong`,
        );
    }
    if (options.finish) yield `${JSON.stringify(await options.finish())}\n`;
  } catch (error) {
    if (index === 0) throw error;
    yield lineOf(index, toFailure(error));
  }
}

function lineOf(index: number, answer: EntryAnswer): string {
  const line =
    answer instanceof Failure
      ? {
          index,
          status: answer.status,
          code: answer.code,
          message: answer.message,
          details: answer.details,
        }
      : { index, ...answer };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Answers batch by batch, in order. Whichever comes first is taken: the answers of the oldest
 * batch, or the next batch.
 */
async function* answersOf<Entry>({
  keep,
  keptBytesMax,
  ...reading
}: AnsweredEntriesOptions<Entry>): AsyncGenerator<EntryAnswer[]> {
  const batches = readBatches(reading);
  const underWay: { bytes: number; answers: Promise<EntryAnswer[]> }[] = [];
  let next: Promise<ReadBatch<Entry>> | undefined;
  let isAtEnd = false;
  let failure: unknown;
  let bytes = 0;
  try {
    for (;;) {
      if (!isAtEnd && bytes < keptBytesMax) next ??= settled(batches.next());
      const oldest = underWay[0];
      if (!oldest && !next) break;
      const read = await Promise.race([
        ...(oldest ? [oldest.answers.then(nothing, nothing)] : []),
        ...(next ? [next] : []),
      ]);
      if (read === undefined) {
        underWay.shift();
        bytes -= oldest!.bytes;
        yield await oldest!.answers;
        continue;
      }
      next = undefined;
      if ('batch' in read) {
        underWay.push({ bytes: read.bytes, answers: caught(keep(read.batch)) });
        bytes += read.bytes;
      } else {
        isAtEnd = true;
        failure = read.failure;
      }
    }
  } finally {
    void caught(batches.return(undefined));
  }
  if (failure) throw failure;
}

type ReadBatch<Entry> = { batch: Batch<Entry>; bytes: number } | { failure: unknown };

const nothing = (): undefined => undefined;

async function settled<Entry>(
  reading: Promise<IteratorResult<ReadBatch<Entry>, void>>,
): Promise<ReadBatch<Entry>> {
  try {
    const { done, value } = await reading;
    return done ? { failure: undefined } : value!;
  } catch (failure) {
    return { failure };
  }
}

async function* readBatches<Entry>({
  stream,
  splitter,
  read,
  batchItemsMax,
}: Omit<AnsweredEntriesOptions<Entry>, 'keep' | 'keptBytesMax'>): AsyncGenerator<{
  batch: Batch<Entry>;
  bytes: number;
}> {
  let from = 0;
  let reading: ReturnType<typeof readEntry<Entry>>[] = [];
  let bytes = 0;

  async function takeBatch() {
    const taken = { batch: { from, entries: await awaitAll(reading) }, bytes };
    from += reading.length;
    reading = [];
    bytes = 0;
    return taken;
  }

  for await (const found of entriesOf(stream ?? none(), splitter)) {
    const batches = askersOfProcess.areSeveral() ? batchesBesideOthers : 1;
    const itemsMax = Math.ceil(batchItemsMax / batches);
    for (const raw of found) {
      const entry = readEntry(raw, read);
      reading.push(entry instanceof Promise ? caught(entry) : entry);
      bytes += raw instanceof Failure ? 0 : raw.length;
      if (reading.length === itemsMax) yield await takeBatch();
      const turn = nextTurn();
      if (turn) await turn;
    }
    if (reading.length > 0) yield await takeBatch();
  }
}

function readEntry<Entry>(
  raw: RawEntry,
  read: (raw: Buffer) => Promise<Entry> | Entry,
): Entry | Failure | Promise<Entry | Failure> {
  if (raw instanceof Failure) return aboutEntry(raw);
  try {
    const entry = read(raw);
    return entry instanceof Promise ? entry.catch(orAboutEntry) : entry;
  } catch (error) {
    return orAboutEntry(error);
  }
}

function orAboutEntry(error: unknown): Failure {
  if (error instanceof Failure) return aboutEntry(error);
  throw error;
}

/** The rules of a body hold for an entry, and their sentences name it. */
const aboutEntry = ({ code, message, details }: Failure): Failure =>
  new Failure(code, message.replace(/^The body/, 'The entry'), { details });

async function* none(): AsyncGenerator<Uint8Array> {}
