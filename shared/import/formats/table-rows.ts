import { fingerprintOf } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { ImportOptions, Item, TestcaseFacts } from '../item.ts';
import { outputsOf } from '../outputs.ts';
import { rolesAmong, testcaseOf } from '../roles.ts';
import { rowKey } from '../sending/row-key.ts';
import { sha256 } from '../sending/sha256.ts';
import { type SourceFile, stemOf } from '../source.ts';

/** One row of a table. */
export interface TableRow {
  /** Those that have a value. */
  fields: Fields;
  /** The names of all fields, as far as the row says them. */
  columns: string[];
  place: Place;
}

/**
 * The rows of a file as testcases. Each answer in a row is a record of the run of its column. The
 * first row says which columns there are.
 */
export async function* itemsOfRows(
  file: SourceFile,
  rows: AsyncIterable<TableRow>,
  options: ImportOptions,
): AsyncGenerator<Item> {
  const testset = { id: file.name, name: options.name ?? stemOf(file.name) };
  yield { place: { file: file.name }, testset };
  const fingerprint = await fingerprintOf({ files: [file] });
  const keyOf = createKeys();
  let roleOf: ReturnType<typeof rolesAmong> | undefined;
  let hasAnswers = false;
  for await (const { fields, columns, place } of rows) {
    roleOf ??= rolesAmong(columns, options);
    const testcase = testcaseOf(fields, { roleOf, key: options.key });
    const answers = columns.filter((name) => roleOf!(name) === 'output');
    hasAnswers ||= answers.length > 0;
    if (!hasAnswers) {
      yield { place, testset, testcase };
      continue;
    }
    const keyed = { ...testcase, key: keyOf(testcase) };
    yield { place, testset, testcase: keyed };
    for (const column of answers) {
      const value = fields[column];
      if (value === undefined || value === null) continue;
      yield {
        place,
        testset,
        testcase: keyed,
        run: { id: runId({ file, fingerprint, column, options }), name: column, column },
        // Under the key of its testcase: a testcase has one answer in a run.
        record: { id: keyed.key, outputs: outputsOf(value) },
      };
    }
  }
}

/**
 * Gives a row without a key the one that its sender would make of its content: its answers name their
 * testcase by it, and a repeat finds it again.
 */
function createKeys() {
  const repeats = new Map<string, number>();
  return ({ key, inputs, expected, metadata }: TestcaseFacts): string => {
    if (key !== undefined) return key;
    const made = rowKey(JSON.stringify({ ...inputs, ...expected, ...metadata }));
    const count = (repeats.get(made) ?? 0) + 1;
    repeats.set(made, count);
    return count === 1 ? made : `${made}:${count}`;
  };
}

/** A label, which has the id, takes 256. */
const nameCharactersMax = 100;

/** The same for the same file, read in the same way: another reading has runs of its own. */
function runId({
  file,
  fingerprint,
  column,
  options: { roles = {}, key },
}: {
  file: SourceFile;
  fingerprint: string;
  column: string;
  options: ImportOptions;
}): string {
  const reading = [fingerprint, file.name, column, Object.entries(roles).toSorted(), key];
  const hash = sha256(JSON.stringify(reading)).slice(0, 8);
  return `${file.name.slice(0, nameCharactersMax)}:${column.slice(0, nameCharactersMax)}:${hash}`;
}
