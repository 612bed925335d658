import { unwrapJson } from '@assay/import/reading/json-values';
import { parseByValue } from '@assay/json/parse';
import { isComposite } from '@assay/json/value';
import { columnsOf } from '../../files/columns.ts';
import { type Entry, readEntries } from '../../files/entries.ts';
import { formatOf } from '../../files/format.ts';
import { formatCount } from '../../text/format.ts';

/** One row of a file of answers. A field without a value is left out. */
export interface AnswerRow {
  /** As a person counts, from 1: the row with the header, the line, or the element. */
  number: number;
  values: Map<string, unknown>;
  /** Why it cannot be read. */
  problem?: string;
}

export interface AnswerFile {
  name: string;
  columns: string[];
  rows: AnswerRow[];
}

/** Rows that a page matches by itself; the import takes any number. */
const rowsMax = 100_000;

/** Reads a CSV, TSV, JSON array or JSON lines. @throws Error with a sentence that says why not. */
export async function readAnswers(file: File, signal: AbortSignal): Promise<AnswerFile> {
  const format = await formatOf(file);
  const isTable = format.kind === 'table';
  const entries: Entry[] = [];
  let header: string[] = [];
  for await (const batch of readEntries(file, format)) {
    signal.throwIfAborted();
    header = batch.header;
    for (const entry of batch.entries) entries.push(entry);
    if (entries.length > rowsMax)
      throw new Error(
        `These are more than ${formatCount(rowsMax)} rows. Import the file: a column with the role output becomes a run.`,
      );
  }
  if (entries.length === 0)
    throw new Error('There are no rows. The first line names the columns, and rows follow it.');
  return {
    name: file.name,
    columns: isTable ? header : columnsOf(entries),
    rows: entries.map(({ number, values, problem }) => ({
      number,
      values: new Map(
        [...values].flatMap(([name, text]): [string, unknown][] => {
          const value = isTable ? cellValue(text) : parseByValue(text);
          return value === undefined || value === null ? [] : [[name, value]];
        }),
      ),
      ...(problem === undefined ? {} : { problem }),
    })),
  };
}

/** Lists and objects of JSON are values, all other cells are text, as in an import. */
function cellValue(text: string): unknown {
  if (text === '') return undefined;
  const value = unwrapJson(text);
  return isComposite(value) ? value : text;
}
