import { type Failure, invalidAt } from '@assay/contracts/failure';
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  isSpace,
  openBrace,
  openBracket,
  quote,
} from '@assay/json/scan';
import { createReservation } from '../concurrency/held-bytes.ts';
import { organizationContext, ownWork } from '../concurrency/organization-context.ts';
import { inlineBytesMax } from '../http/body.ts';
import { tooLarge } from '../http/failures.ts';

/** One entry of a streamed body as it stood there, or why it cannot be one. */
export type RawEntry = Buffer | Failure;

/** Cuts a body into its entries as the bytes come in, and holds no more of it than one entry. */
export interface Splitter {
  /**
   * Yields the entries that end in this chunk, each cut on request. Throws a failure that makes the
   * rest of the body unreadable.
   */
  push(chunk: Buffer): Iterable<RawEntry>;
  /** Yields the entry that the body's end completes, if there is one. */
  end(): Iterable<RawEntry>;
  /** Drops the part of an entry that has come: when the entry ends, it is a failure that says so. */
  abandon(): void;
  /** Gives back the memory of an entry that does not end: called whenever a body is over. */
  release(): void;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Blank lines in a row after which a body ends: nothing answers them, so their sender could not be
 * told to stop.
 */
const blankLinesMax = 10_000;

/**
 * Collects an entry that spans chunks. One that grows past `bytesMax`, or for which its organization
 * has no memory left, is dropped and only counted until it ends: it becomes the failure that says so.
 */
function createPieces(bytesMax: number) {
  const reservation = createReservation((organizationContext() ?? ownWork).organizationId);
  let pieces: Buffer[] = [];
  let bytes = 0;
  let failure: Failure | undefined;

  function drop(reason: Failure): void {
    failure = reason;
    pieces = [];
    reservation.release();
  }

  /** An entry of which all has come together takes no memory of its own. */
  function reserve(piece: Buffer): void {
    const before = bytes - piece.length;
    if (bytes <= inlineBytesMax) return;
    try {
      reservation.take(before <= inlineBytesMax ? bytes : piece.length);
    } catch (error) {
      drop(error as Failure);
    }
  }

  return {
    isEmpty: () => bytes === 0,
    /** Adds the end of an entry. */
    add(piece: Buffer): void {
      bytes += piece.length;
      if (!failure && bytes > bytesMax) drop(tooLarge(bytesMax));
      if (!failure && piece.length > 0) pieces.push(piece);
    },
    /** Keeps the beginning of an entry, or more of it, until its end comes. */
    hold(piece: Buffer): void {
      // A small piece of a large chunk would hold all of the chunk.
      this.add(2 * piece.length < piece.buffer.byteLength ? Buffer.from(piece) : piece);
      if (!failure) reserve(piece);
    },
    take(): RawEntry {
      const entry = failure ?? Buffer.concat(pieces);
      pieces = [];
      bytes = 0;
      failure = undefined;
      reservation.release();
      return entry;
    },
    /** A small part takes no memory that others want. */
    abandon(): void {
      if (!failure && bytes > inlineBytesMax) drop(abandoned());
    },
    release: reservation.release,
  };
}

const abandoned = (): Failure =>
  invalidAt('', 'must not pause for a minute after a part of it has come');

const isBlank = (entry: RawEntry): boolean => Buffer.isBuffer(entry) && entry.every(isSpace);

/** Lines, as NDJSON has them. Blank ones are skipped. */
export const createLineSplitter = (bytesMax: number): Splitter =>
  createSplitterAt(bytesMax, (chunk, from) => chunk.indexOf(newline, from));

/**
 * Lines of CSV, which end with LF, CRLF or CR: a line break inside a quoted cell does not end the
 * record. A quote opens a cell only at its start (RFC 4180), which is after a separator.
 */
export function createRecordSplitter(
  bytesMax: number,
  isSeparator: (byte: number) => boolean = (byte) => byte === comma,
): Splitter {
  let isQuoted = false;
  let isCellStart = true;
  let hasJustClosed = false;

  function isEnd(byte: number): boolean {
    const wasQuoted = isQuoted;
    // A doubled quote closes the cell and opens it again.
    if (byte === quote) isQuoted = !wasQuoted && (isCellStart || hasJustClosed);
    hasJustClosed = wasQuoted && !isQuoted;
    const isLineBreak = byte === newline || byte === carriageReturn;
    isCellStart = !isQuoted && (isLineBreak || isSeparator(byte));
    return !isQuoted && isLineBreak;
  }

  return createSplitterAt(bytesMax, (chunk, from) => {
    for (let at = from; at < chunk.length; at++) if (isEnd(chunk[at]!)) return at;
    return -1;
  });
}

function createSplitterAt(
  bytesMax: number,
  findEnd: (chunk: Buffer, from: number) => number,
): Splitter {
  const pieces = createPieces(bytesMax);
  let blankLines = 0;

  function countBlankLine(): void {
    blankLines += 1;
    if (blankLines > blankLinesMax)
      throw invalidAt(
        '',
        `must not have more than ${blankLinesMax.toLocaleString('en')} blank lines in a row`,
      );
  }

  /** Where the first line begins that is not blank, or not whole. */
  function skipBlankLines(chunk: Buffer, from: number): number {
    let start = from;
    for (let at = from; at < chunk.length && isSpace(chunk[at]!); at++) {
      if (chunk[at] !== newline) continue;
      countBlankLine();
      start = at + 1;
    }
    return start;
  }

  function* take(): Iterable<RawEntry> {
    const entry = pieces.take();
    if (isBlank(entry)) return countBlankLine();
    blankLines = 0;
    yield entry;
  }

  return {
    *push(chunk) {
      for (let from = 0; from < chunk.length; ) {
        if (pieces.isEmpty()) from = skipBlankLines(chunk, from);
        const at = findEnd(chunk, from);
        if (at < 0) return pieces.hold(chunk.subarray(from));
        pieces.add(chunk.subarray(from, at));
        yield* take();
        from = at + 1;
      }
    },
    end: take,
    abandon: pieces.abandon,
    release: pieces.release,
  };
}

/**
 * Cuts the elements of a JSON array at the array's commas. Does not parse them: an element that is
 * not JSON fails when it is parsed.
 */
export function createElementSplitter(bytesMax: number): Splitter {
  const pieces = createPieces(bytesMax);
  let place: 'before' | 'inside' | 'after' = 'before';
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let hasElements = false;

  /**
   * Moves over a byte of an element; true when the byte is the comma or the bracket that ends it.
   */
  function isEnd(byte: number): boolean {
    if (isString) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) isString = false;
      return false;
    }
    if (byte === quote) isString = true;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (depth === 0) return byte === comma || byte === closeBracket;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    return false;
  }

  /** `[]` has no element; anywhere else nothing between two separators is one that is missing. */
  function* takeElement(ends: number): Iterable<RawEntry> {
    const entry = pieces.take();
    if (ends === closeBracket) place = 'after';
    if (ends === closeBracket && !hasElements && isBlank(entry)) return;
    hasElements = true;
    yield entry;
  }

  function outside(byte: number): void {
    if (isSpace(byte)) return;
    if (place === 'after') throw invalidAt('', 'must end with the array');
    if (byte !== openBracket) throw invalidAt('', 'must be an array of objects');
    place = 'inside';
  }

  return {
    *push(chunk) {
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!;
        if (place !== 'inside') {
          outside(byte);
          from = at + 1;
        } else if (isEnd(byte)) {
          pieces.add(chunk.subarray(from, at));
          yield* takeElement(byte);
          from = at + 1;
        }
      }
      if (place === 'inside') pieces.hold(chunk.subarray(from));
    },
    end() {
      if (place === 'before') throw invalidAt('', 'must be an array of objects');
      if (place === 'inside') throw invalidAt('', 'must end with the array');
      return [];
    },
    abandon: pieces.abandon,
    release: pieces.release,
  };
}
