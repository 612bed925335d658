import { isObject } from '@assay/json/value';
import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { ImportOptions, Item, Reading } from '../item.ts';
import type { Lose } from '../reading/json-text.ts';
import { unwrapJson } from '../reading/json-values.ts';
import { readSourceRows } from '../reading/rows.ts';
import { isLinesName, sketchOf } from '../reading/sketch.ts';
import type { SourceFile } from '../source.ts';
import { itemsOfRows, type TableRow } from './table-rows.ts';

/** The lists that documents of one testset have their rows in. */
const lists = ['/data', '/items', '/rows', '/examples', '/samples', '/testcases', '/questions'];

async function* items({ source, options, lose }: Reading): AsyncGenerator<Item> {
  for (const file of source.files)
    yield* itemsOfRows(file, readTableFile(file, options, lose), options);
}

/** The rows of one file: CSV, JSON Lines, or a list of JSON. */
export async function* readTableFile(
  file: SourceFile,
  options: ImportOptions,
  lose: Lose,
): AsyncGenerator<TableRow> {
  for await (const { fields, place, isTable } of readSourceRows(file, { ...options, lists, lose }))
    yield { fields: isTable ? cellsOf(fields) : fields, columns: Object.keys(fields), place };
}

/** Empty cells have no field; lists and objects of JSON are values, all other cells are text. */
const cellsOf = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, text]) => {
      const value = unwrapJson(text);
      if (text === '') return [];
      return [[name, Array.isArray(value) || isObject(value) ? value : text]];
    }),
  );

export const csv = defineFormat({
  name: 'csv',
  title: 'CSV or TSV with a header line',
  isTable: true,
  detect(head, name) {
    const { shape, columns } = sketchOf(head);
    if (shape !== 'other') return 0;
    if (/\.(csv|tsv)$/i.test(name)) return 0.6;
    return columns.length > 1 && /\.txt$/i.test(name) ? 0.3 : 0;
  },
  items,
});

export const json = defineFormat({
  name: 'json',
  title: 'JSON: a list of objects',
  isTable: true,
  detect(head) {
    const { shape, keys } = sketchOf(head);
    if (shape === 'list') return 0.4;
    return shape === 'object' && lists.some((list) => keys.has(list.slice(1))) ? 0.3 : 0;
  },
  items,
});

export const jsonl = defineFormat({
  name: 'jsonl',
  title: 'JSON Lines: an object a line',
  isTable: true,
  detect(head, name) {
    const { shape } = sketchOf(head);
    if (shape === 'lines') return 0.4;
    return shape === 'object' && isLinesName(name) ? 0.4 : 0;
  },
  items,
});
