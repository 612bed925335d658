import { ImportFailure } from '../failure.ts';
import type { SourceFile } from '../source.ts';

/** First bytes of files that are not text, each with the remedy. */
const binaries: [start: number[], sentence: string][] = [
  [
    [0x50, 0x4b, 0x03, 0x04],
    'is a zip archive (as an Excel workbook is): save a sheet as "CSV UTF-8", or unpack the archive.',
  ],
  [[0x1f, 0x8b], 'is compressed by gzip: unpack it first.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed by zstd: unpack it first.'],
  [[0x25, 0x50, 0x44, 0x46], 'is a PDF: export the data as CSV or JSON.'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'is an old Excel workbook: save the sheet as "CSV UTF-8".'],
  [[0x50, 0x41, 0x52, 0x31], 'is a Parquet file: read it as one.'],
];

const startsWith = (bytes: Uint8Array, start: number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte);

const binaryAs = (head: Uint8Array): string | undefined =>
  binaries.find(([start]) => startsWith(head, start))?.[1];

/** Why the first bytes of a file are none of text, with the remedy, if they are not. */
export function whyNoText(head: Uint8Array): string | undefined {
  const sentence = binaryAs(head);
  if (sentence) return sentence;
  try {
    const text = new TextDecoder(encodingOf(head), { fatal: true }).decode(head, { stream: true });
    if (!text.includes('\0')) return;
  } catch {}
  return 'is neither text nor a file of a format that can be read: choose the file that the tool exported.';
}

type Decoder = InstanceType<typeof TextDecoder>;

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Tells the encoding by its byte order mark, or by where the NULs of its first text stand. */
export function encodingOf(head: Uint8Array): Encoding {
  if (startsWith(head, [0xff, 0xfe])) return 'utf-16le';
  if (startsWith(head, [0xfe, 0xff])) return 'utf-16be';
  if (head.length >= 4 && head[0] !== 0 && head[1] === 0 && head[3] === 0) return 'utf-16le';
  if (head.length >= 4 && head[0] === 0 && head[1] !== 0 && head[2] === 0) return 'utf-16be';
  return 'utf-8';
}

/** The first bytes of a file as text, however they end. */
export function decodeHead(head: Uint8Array): string {
  if (binaryAs(head)) return '';
  return new TextDecoder(encodingOf(head)).decode(head, { stream: true });
}

/**
 * The text of a file, chunk by chunk, without its byte order mark. UTF-8, and UTF-16 in both
 * orders, unless another encoding is given. @throws for anything else, with the byte.
 */
export async function* readText(file: SourceFile, encoding?: Encoding): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let byte = 0;
  for await (const chunk of gatherHead(file.open())) {
    decoder ??= openDecoder(file, chunk, encoding);
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw notText(file, byte + faultIn(chunk), error);
    }
    const nul = text.indexOf('\0');
    if (nul >= 0)
      throw new ImportFailure(
        { file: file.name, byte: byte + new TextEncoder().encode(text.slice(0, nul)).length },
        'contains the character NUL, which no text has: export the file again.',
      );
    byte += chunk.length;
    if (text !== '') yield text;
  }
  try {
    decoder?.decode();
  } catch (error) {
    throw notText(file, byte, error);
  }
}

function openDecoder(file: SourceFile, head: Uint8Array, encoding = encodingOf(head)): Decoder {
  const sentence = binaryAs(head);
  if (sentence) throw new ImportFailure({ file: file.name }, sentence);
  return new TextDecoder(encoding, { fatal: true });
}

const notText = (file: SourceFile, byte: number, cause: unknown): ImportFailure =>
  new ImportFailure(
    { file: file.name, byte },
    'is not text in UTF-8: save it as UTF-8 (in Excel: "CSV UTF-8").',
    cause,
  );

/** Where in these bytes UTF-8 ends, nearly: a character that began before them counts as theirs. */
function faultIn(chunk: Uint8Array): number {
  const text = new TextDecoder().decode(chunk);
  return new TextEncoder().encode(text.slice(0, text.indexOf('\ufffd'))).length;
}

/** Joins the first chunks until there are enough bytes to tell the encoding. */
async function* gatherHead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (!head) {
      yield chunk;
      continue;
    }
    const joined: Uint8Array = new Uint8Array(head.length + chunk.length);
    joined.set(head);
    joined.set(chunk, head.length);
    head = joined;
    if (head.length < 4) continue;
    yield head;
    head = undefined;
  }
  if (head && head.length > 0) yield head;
}
