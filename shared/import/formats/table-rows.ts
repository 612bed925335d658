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

type RoleOf = ReturnType<typeof rolesAmong>;

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
  const { key } = options;
  const keyOf = createKeys();
  let roleOf: RoleOf | undefined;
  let runIdOf: ((column: string) => string) | undefined;
  let hasAnswers = false;
  for await (const { fields, columns, place } of rows) {
    roleOf ??= rolesAmong(columns, options);
    runIdOf ??= await createRunIds(file, { columns, roleOf, key });
    const testcase = testcaseOf(fields, { roleOf, key });
    const answers = columns.filter((name) => roleOf!(name) === 'output');
    hasAnswers ||= answers.length > 0;
    if (!hasAnswers) {
      yield { place, testset, testcase };
      continue;
    }
    const keyed = { ...testcase, key: keyOf(testcase) };
    yield { place, testset, testcase: keyed };
    for (const column of answers) {
      const value = Object.hasOwn(fields, column) ? fields[column] : null;
      if (value === null) continue;
      yield {
        place,
        testset,
        testcase: keyed,
        run: { id: runIdOf(column), name: column, column },
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

/** A label, which has the id of a run, takes 256. */
const nameCharactersMax = 100;

/**
 * Names the runs of a file, as before where it is read as before: with the same roles, whether they were
 * given or guessed.
 */
async function createRunIds(
  file: SourceFile,
  { columns, roleOf, key }: { columns: string[]; roleOf: RoleOf; key: string | undefined },
): Promise<(column: string) => string> {
  const fingerprint = await fingerprintOf({ files: [file] });
  const roles = columns.map((column) => [column, roleOf(column)]);
  const hash = sha256(JSON.stringify([fingerprint, roles, key ?? null])).slice(0, 8);
  const nameOf = (name: string) => name.slice(0, nameCharactersMax);
  return (column) => `${nameOf(file.name)}:${nameOf(column)}:${hash}`;
}
