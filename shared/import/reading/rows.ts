import { isObject } from '@assay/json/value';
import type { Fields } from '../entity.ts';
import { ImportFailure, type Place } from '../failure.ts';
import { readHead, type SourceFile } from '../source.ts';
import { readTable } from './csv.ts';
import { readJson } from './json-stream.ts';
import { type Lose, parseJson } from './json-text.ts';
import { readLines } from './lines.ts';
import { isLinesName, sketchOf } from './sketch.ts';

/** One row of a table, a line of JSON, or an element of a list. */
export interface SourceRow {
  fields: Fields;
  place: Place;
  /** Of cells, which are all text. */
  isTable: boolean;
}

interface Options {
  lose: Lose;
  delimiter?: string;
  /** JSON Pointers of the lists that an object may have its rows in, beside being a list itself. */
  lists?: readonly string[];
}

/**
 * The rows of a file: CSV or TSV by its columns, JSON Lines, or the list of a document of JSON.
 * @throws for a row of JSON that is no object.
 */
export async function* readSourceRows(
  file: SourceFile,
  options: Options,
): AsyncGenerator<SourceRow> {
  const { shape } = sketchOf(await readHead(file));
  if (shape === 'other' && !/\.jsonl?$/i.test(file.name)) yield* tableRows(file, options);
  else if (shape === 'lines' || isLinesName(file.name)) yield* lineRows(file, options);
  else yield* listRows(file, options);
}

async function* tableRows(file: SourceFile, { delimiter }: Options): AsyncGenerator<SourceRow> {
  for await (const { cells, line } of readTable(file, delimiter ?? delimiterByName(file.name)))
    yield { fields: Object.fromEntries(cells), place: { file: file.name, line }, isTable: true };
}

const delimiterByName = (name: string): string | undefined =>
  /\.tsv$/i.test(name) ? '\t' : undefined;

async function* lineRows(file: SourceFile, { lose }: Options): AsyncGenerator<SourceRow> {
  for await (const { text, line } of readLines(file)) {
    const place = { file: file.name, line };
    yield { fields: objectOf(parseJson(text, place, lose), place), place, isTable: false };
  }
}

async function* listRows(
  file: SourceFile,
  { lose, lists = [] }: Options,
): AsyncGenerator<SourceRow> {
  let hasList = false;
  for await (const part of readJson(file, { lists: ['', ...lists], lose })) {
    if (part.kind === 'element') {
      hasList = true;
      yield { fields: objectOf(part.value, part.place), place: part.place, isTable: false };
    } else if (!hasList && !isEmptyList(part.value, lists))
      throw new ImportFailure(
        { file: file.name },
        `has no list of entries: it must be a JSON list${lists.length > 0 ? `, or have one at ${lists.join(' or ')}` : ''}.`,
      );
  }
}

const isEmptyList = (value: unknown, lists: readonly string[]): boolean =>
  Array.isArray(value) ||
  (isObject(value) && lists.some((list) => Array.isArray(value[list.slice(1)])));

function objectOf(value: unknown, place: Place): Fields {
  if (isObject(value)) return value;
  throw new ImportFailure(place, 'is no object: every entry must be one, as in {"question": "…"}.');
}
