import { delimiterOf } from '@assay/import/reading/csv';
import { type Encoding, encodingOf } from '@assay/import/reading/text';

/** How a file is to be read. */
export type FileFormat =
  | { kind: 'table'; delimiter: string; encoding: Encoding }
  | { kind: 'json' | 'lines'; encoding: Encoding };

/** Bytes from which the kind of a file is found out. */
const lookedAtBytes = 256 * 1024;

/** Finds out by its content how a file is to be read; its name and type say nothing for sure. */
export async function formatOf(file: Blob): Promise<FileFormat> {
  const bytes = new Uint8Array(await file.slice(0, lookedAtBytes).arrayBuffer());
  const encoding = textEncodingOf(bytes);
  return formatOfText(new TextDecoder(encoding).decode(bytes), encoding);
}

/** The same for the beginning of a text. */
export function formatOfText(text: string, encoding: Encoding = 'utf-8'): FileFormat {
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

/** By its first bytes; where they say nothing UTF-8, or if it is none, Windows-1252. */
function textEncodingOf(bytes: Uint8Array): Encoding {
  const told = encodingOf(bytes);
  if (told !== 'utf-8') return told;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return told;
  } catch {
    return 'windows-1252';
  }
}

const delimiterNames: Record<string, string> = {
  ',': 'commas',
  '\t': 'tabs',
  ';': 'semicolons',
  '|': 'bars',
};

/** The format in words: "Table with commas, UTF-8". */
export function describeFormat(format: FileFormat): string {
  const kind =
    format.kind === 'table'
      ? `Table with ${delimiterNames[format.delimiter] ?? format.delimiter}`
      : format.kind === 'json'
        ? 'JSON array'
        : 'JSON lines';
  return `${kind}, ${format.encoding.toUpperCase()}`;
}
