import { createRowReader, type Delimiter } from './delimited.ts';

/** How a file is to be read. */
export type FileFormat =
  | { kind: 'table'; delimiter: Delimiter; encoding: string }
  | { kind: 'json' | 'lines'; encoding: string };

/** Bytes from which the kind of a file is found out. */
const lookedAtBytes = 256 * 1024;
const delimiters: Delimiter[] = ['\t', ',', ';', '|'];

/** Finds out by its content how a file is to be read; its name and type say nothing for sure. */
export async function formatOf(file: Blob): Promise<FileFormat> {
  const bytes = new Uint8Array(await file.slice(0, lookedAtBytes).arrayBuffer());
  const encoding = encodingOf(bytes);
  return formatOfText(new TextDecoder(encoding).decode(bytes), encoding);
}

/** The same for the beginning of a text. */
export function formatOfText(text: string, encoding = 'utf-8'): FileFormat {
  const begin = text.trimStart();
  if (/^\[\s*[{\]]/.test(begin)) return { kind: 'json', encoding };
  if (begin.startsWith('{') && isObject(begin.split('\n', 1)[0]!))
    return { kind: 'lines', encoding };
  return { kind: 'table', delimiter: delimiterOf(text), encoding };
}

function isObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    // Perhaps a line that is longer than these bytes; a table seldom begins so.
    return /^\{\s*"[^"]*"\s*:/.test(text);
  }
}

/** By the mark of its order of bytes; else UTF-8, or where it is none, Windows-1252. */
function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The delimiter by which the first rows have the same number of cells, and the most of them. */
function delimiterOf(text: string): Delimiter {
  const scored = delimiters.map((delimiter) => {
    const rows = createRowReader(delimiter)
      .push(text)
      .filter(({ cells }) => cells.length > 0)
      .slice(0, 50);
    const head = rows[0]?.cells.length ?? 1;
    const same = rows.filter(({ cells }) => cells.length === head).length;
    return { delimiter, score: head > 1 ? (same / rows.length) * 1000 + head : 0 };
  });
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one));
  return best.score > 0 ? best.delimiter : ',';
}

const delimiterNames: Record<Delimiter, string> = {
  ',': 'commas',
  '\t': 'tabs',
  ';': 'semicolons',
  '|': 'bars',
};

/** The format in words: "Table with commas, UTF-8". */
export function describeFormat(format: FileFormat): string {
  const kind =
    format.kind === 'table'
      ? `Table with ${delimiterNames[format.delimiter]}`
      : format.kind === 'json'
        ? 'JSON array'
        : 'JSON lines';
  return `${kind}, ${format.encoding.toUpperCase()}`;
}
