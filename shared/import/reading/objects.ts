import { isObject } from '@assay/json/value';
import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import { readHead, type SourceFile } from '../source.ts';
import { readTable } from './csv.ts';
import { readJson } from './json-stream.ts';
import { type Lose, parseJson } from './json-text.ts';
import { unwrapJson } from './json-values.ts';
import { readLines } from './lines.ts';
import { isLinesName, sketchOf } from './sketch.ts';

export interface FoundObject {
  value: Fields;
  place: Place;
  /** The object around its list, without the list: it comes last. */
  isAround: boolean;
  /** A row of cells, whose JSON is unwrapped. */
  isTable: boolean;
}

/**
 * The objects of a file, whatever carries them: rows of CSV, whose cells of JSON are values, lines,
 * the elements of these lists of a document, and at last the document around them.
 */
export async function* readObjects(
  file: SourceFile,
  lists: readonly string[],
  lose: Lose,
): AsyncGenerator<FoundObject> {
  const { shape } = sketchOf(await readHead(file));
  if (shape === 'other' && !/\.jsonl?$/i.test(file.name)) {
    for await (const { cells, line } of readTable(file))
      yield {
        value: Object.fromEntries([...cells].map(([name, text]) => [name, unwrapJson(text)])),
        place: { file: file.name, line },
        isAround: false,
        isTable: true,
      };
    return;
  }
  if (shape === 'lines' || isLinesName(file.name)) {
    for await (const { text, line } of readLines(file)) {
      const place = { file: file.name, line };
      const value = parseJson(text, place, lose);
      if (isObject(value)) yield { value, place, isAround: false, isTable: false };
    }
    return;
  }
  for await (const part of readJson(file, { lists: ['', ...lists], lose }))
    if (isObject(part.value))
      yield part.kind === 'element'
        ? { value: part.value, place: part.place, isAround: false, isTable: false }
        : { value: part.value, place: { file: file.name }, isAround: true, isTable: false };
}
