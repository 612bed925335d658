import { decodeHead } from './text.ts';

/** The outline of a text by its first bytes, which may end in the middle of a value. */
export interface Sketch {
  text: string;
  shape: 'object' | 'list' | 'lines' | 'other';
  /** The keys of the object, or of the first one of a list or of lines, as far as they are seen. */
  keys: ReadonlySet<string>;
  /** The cells of the first line, cut at its delimiters. */
  columns: readonly string[];
}

const cache = new WeakMap<Uint8Array, Sketch>();

/** Sketches the head of a file; formats that look at the same bytes share it. */
export function sketchOf(head: Uint8Array): Sketch {
  const known = cache.get(head);
  if (known) return known;
  const text = decodeHead(head).trimStart();
  const isList = text.startsWith('[');
  const start = isList ? text.indexOf('{') : 0;
  const isJson = text[start] === '{' && /^\[?\s*$/.test(text.slice(0, start));
  const scanned = isJson ? scanKeys(text, start) : { keys: new Set<string>(), end: -1 };
  const isLines = !isList && scanned.end >= 0 && /^\s*\n\s*\{/.test(text.slice(scanned.end));
  const columns = text
    .split('\n', 1)[0]!
    .split(/[,;\t]/)
    .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  const shape = !isJson ? 'other' : isList ? 'list' : isLines ? 'lines' : 'object';
  const sketch: Sketch = { text, shape, keys: scanned.keys, columns: isJson ? [] : columns };
  cache.set(head, sketch);
  return sketch;
}

/** The keys of the object that begins at `start`, and where it ends; -1 when it does not. */
function scanKeys(text: string, start: number): { keys: Set<string>; end: number } {
  const keys = new Set<string>();
  const tokens = /"((?:[^"\\]|\\.)*)"(\s*:)?|[[\]{}]/gs;
  tokens.lastIndex = start;
  let level = 0;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const [sign, name, isKey] = token;
    if (name !== undefined) {
      if (level === 1 && isKey) keys.add(name);
    } else if (sign === '{' || sign === '[') level += 1;
    else {
      level -= 1;
      if (level === 0) return { keys, end: tokens.lastIndex };
    }
  }
  return { keys, end: -1 };
}

/** Does the sketch have all of these keys or columns? */
export const has = ({ keys, columns }: Sketch, ...names: string[]): boolean =>
  names.every((name) => keys.has(name) || columns.includes(name));

/** Is it JSON of rows: a list, lines, or one object, which a file of one line is too? */
export const isRows = ({ shape }: Sketch, name: string): boolean =>
  shape === 'list' || shape === 'lines' || (shape === 'object' && isLinesName(name));

export const isLinesName = (name: string): boolean => /\.(jsonl|ndjson)$/i.test(name);
