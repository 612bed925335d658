import { readFile } from 'node:fs/promises';
import { ImportFailure } from '@assay/import/failure';
import { readParquet } from '@assay/import/formats/parquet';
import { readTableFile } from '@assay/import/formats/table';
import { fileOf } from '@assay/import/source';
import { isObject } from '@assay/json/value';
import { jsonOf } from './conversion.ts';
import type { GivenTestcases, Json } from './evaluation.ts';
import { AssayError } from './failure.ts';
import type { Note } from './notes.ts';

/** The rows of `testcases` as JSON, in their order. */
export interface GivenRows {
  rows: Json[];
  /** The parts of them that could not be carried. */
  notes: Note[];
}

/**
 * Reads `testcases`: anything that can be iterated, or a file of CSV, JSON, JSON lines or Parquet.
 * @throws AssayError where it is neither, has no rows, or has a row that is no object.
 */
export async function readGivenRows(given: GivenTestcases): Promise<GivenRows> {
  const rows: Json[] = [];
  const lost = new Map<string, number>();
  const unstored: { count: number; first: string | undefined } = { count: 0, first: undefined };
  const lose = (reason: string) => lost.set(reason, (lost.get(reason) ?? 0) + 1);
  for await (const row of iterated(given, lose)) {
    const { json, notes } = jsonOf(row, []);
    if (!isObject(json))
      throw new AssayError(
        `Row ${rows.length + 1} of \`testcases\` must be an object, such as { inputs: { question: '2 + 2' }, expected: { answer: '4' } }.`,
      );
    rows.push(json);
    unstored.count += notes.length;
    if (notes[0]) unstored.first ??= `row ${rows.length}, ${notes[0].path}: ${notes[0].message}`;
  }
  if (rows.length === 0) throw new AssayError('`testcases` has no rows: give at least one.');
  const notes = [...lost].map(([reason, count]) => ({
    text: count > 1 ? `${reason} (${count} times)` : reason,
  }));
  if (unstored.first !== undefined)
    notes.push({
      text: `${unstored.count} ${unstored.count === 1 ? 'value' : 'values'} of \`testcases\` could not be stored. The first: ${unstored.first}`,
    });
  return { rows, notes };
}

function iterated(
  given: GivenTestcases,
  lose: (reason: string) => void,
): Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof given === 'string') return readRowsOfFile(given, lose);
  const isIterable =
    typeof given === 'object' &&
    given !== null &&
    (Symbol.iterator in given || Symbol.asyncIterator in given);
  if (isIterable) return given;
  throw new AssayError(
    '`testcases` must be a list or a generator of testcases, or the path of a file with some.',
  );
}

async function* readRowsOfFile(
  path: string,
  lose: (reason: string) => void,
): AsyncGenerator<unknown> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new AssayError(`The testcases cannot be read from ${path} (${error.code}).`);
  });
  const file = fileOf(path, content);
  const isParquet = content.subarray(0, 4).toString('latin1') === 'PAR1';
  const told = (_place: unknown, reason: string) => lose(reason);
  try {
    const read = isParquet ? readParquet(file, told) : readTableFile(file, {}, told);
    for await (const { fields } of read) yield fields;
  } catch (error) {
    throw error instanceof ImportFailure ? new AssayError(error.message) : error;
  }
}
