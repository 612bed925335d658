import { createRowSplitter } from '@assay/import/reading/csv';
import { cellJson } from '../../files/columns.ts';
import type { Field } from './fields.ts';

/** Rows that were copied from a spreadsheet, as the data of testcases. */
export interface PastedRows {
  /** The name of each column; undefined for one too many. */
  columns: (string | undefined)[];
  rows: { cells: (string | undefined)[]; json: string }[];
}

/**
 * Reads rows of a spreadsheet. Where the first row has names of fields only, it says which column is
 * which; else the columns are the fields in their order.
 */
export function pastedRows(text: string, fields: Field[]): PastedRows {
  const splitter = createRowSplitter({ name: 'The clipboard', delimiter: '\t' });
  const all = [...splitter.push(text), ...splitter.end()]
    .map(({ cells }) => cells)
    .filter((cells) => cells.length > 0);
  const names = new Set(fields.map(({ name }) => name));
  const isHeader = all[0]?.every((cell) => cell !== undefined && names.has(cell)) ?? false;
  const width = Math.max(0, ...all.map((cells) => cells.length));
  const columns = isHeader
    ? all[0]!
    : Array.from({ length: width }, (_, index) => fields[index]?.name);
  const typesOf = new Map(fields.map(({ name, types }) => [name, types]));
  const rows = (isHeader ? all.slice(1) : all).map((cells) => {
    const members = cells.flatMap((cell, index) => {
      const name = columns[index];
      if (cell === undefined || name === undefined) return [];
      return [`${JSON.stringify(name)}:${cellJson(cell, typesOf.get(name) ?? [])}`];
    });
    return { cells, json: `{${members.join(',')}}` };
  });
  return { columns, rows };
}
