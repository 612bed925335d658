import type { ItemOf } from '@assay/client/operations';
import { guessRole, rolesAmong } from '@assay/import/roles';
import { canonicalText } from '@assay/json/canonical';
import { isComposite } from '@assay/json/value';
import { writeJson } from '@assay/json/write';
import type { AnswerFile, AnswerRow } from './answer-file.ts';

export type Testcase = Pick<
  ItemOf<'/testsets/:testsetId/testcases'>,
  'id' | 'key' | 'inputs' | 'expected'
>;

/** The fields of a testset by their roles. */
export interface FieldMapping {
  inputs: string[];
  expected: string[];
  metadata: string[];
}

/** How rows find their testcases: by a column of keys, by columns of inputs, or one after the other. */
export type MatchingWay =
  | { by: 'key'; columns: [string] }
  | { by: 'inputs'; columns: string[] }
  | { by: 'order'; columns: [] };

export interface Matching {
  /** Undefined where no row has a testcase. */
  way: MatchingWay | undefined;
  matched: { row: AnswerRow; testcase: Testcase }[];
  /** Each with a sentence that says why. */
  unmatched: { row: AnswerRow; reason: string }[];
}

const keyNames = /^(_?key|_?id|(test_?)?case(_?(key|id))?)$/i;

/** Finds the testcase of each row. A testcase has one answer, from the first row that names it. */
export function matchAnswers(
  file: AnswerFile,
  testcases: Testcase[],
  mapping: FieldMapping,
): Matching {
  const found = byKey(file, testcases, mapping) ?? byInputs(file, testcases, mapping);
  if (found) return assign(file.rows, found);
  if (canGoByOrder(file, testcases, mapping))
    return assign(file.rows, {
      way: { by: 'order', columns: [] },
      candidatesOf: (_row, index) => testcases.slice(index, index + 1),
      miss: 'There are fewer testcases.',
    });
  return assign(file.rows, {
    way: undefined,
    candidatesOf: () => [],
    miss: 'No testcase has the key or the inputs of this row.',
  });
}

interface Finder {
  way: MatchingWay | undefined;
  candidatesOf: (row: AnswerRow, index: number) => Testcase[];
  /** Why a row has none. */
  miss: string;
}

function assign(rows: AnswerRow[], { way, candidatesOf, miss }: Finder): Matching {
  const matching: Matching = { way, matched: [], unmatched: [] };
  const takenBy = new Map<string, number>();
  rows.forEach((row, index) => {
    const candidates = row.problem === undefined ? candidatesOf(row, index) : [];
    const free = candidates.find(({ id }) => !takenBy.has(id));
    if (free) {
      takenBy.set(free.id, row.number);
      matching.matched.push({ row, testcase: free });
      return;
    }
    const before = candidates[0] && takenBy.get(candidates[0].id);
    const reason =
      row.problem ?? (before === undefined ? miss : `Row ${before} answers the same testcase.`);
    matching.unmatched.push({ row, reason });
  });
  return matching;
}

function byKey(
  { columns, rows }: AnswerFile,
  testcases: Testcase[],
  mapping: FieldMapping,
): Finder | undefined {
  const index = indexOf(testcases, ({ id, key }) => (key === undefined ? [id] : [id, key]));
  const fields = new Set(Object.values(mapping).flat());
  const column = mostFound(
    columns.filter((name) => keyNames.test(name) || fields.has(name)),
    rows,
    (value) => index.has(textOf(value)),
  );
  if (column === undefined) return undefined;
  return {
    way: { by: 'key', columns: [column] },
    candidatesOf: ({ values }) => index.get(textOf(values.get(column))) ?? [],
    miss: 'No testcase has this key.',
  };
}

/** By the columns that are called like inputs, else by one that has the only input. */
function byInputs(
  { columns, rows }: AnswerFile,
  testcases: Testcase[],
  { inputs }: FieldMapping,
): Finder | undefined {
  const named = columns.filter((name) => inputs.includes(name));
  const [only] = inputs;
  if (named.length === 0 && (inputs.length !== 1 || only === undefined)) return undefined;
  const fields = named.length > 0 ? named : [only!];
  const index = indexOf(testcases, (testcase) => [
    joined(fields.map((field) => testcase.inputs[field])),
  ]);
  const column =
    named.length > 0 ? undefined : mostFound(columns, rows, (value) => index.has(joined([value])));
  const used = named.length > 0 ? named : column === undefined ? [] : [column];
  const candidatesOf = ({ values }: AnswerRow) =>
    index.get(joined(used.map((name) => values.get(name)))) ?? [];
  if (used.length === 0 || !rows.some((row) => candidatesOf(row).length > 0)) return undefined;
  return {
    way: { by: 'inputs', columns: used },
    candidatesOf,
    miss: 'No testcase has these inputs.',
  };
}

/** Not where the rows name other testcases: their order says nothing then. */
const canGoByOrder = (
  { columns, rows }: AnswerFile,
  testcases: Testcase[],
  { inputs }: FieldMapping,
): boolean =>
  rows.length === testcases.length &&
  !columns.some((name) => keyNames.test(name) || inputs.includes(name));

function indexOf(
  testcases: Testcase[],
  textsOf: (testcase: Testcase) => string[],
): Map<string, Testcase[]> {
  const index = new Map<string, Testcase[]>();
  for (const testcase of testcases)
    for (const text of textsOf(testcase)) {
      const known = index.get(text);
      if (known) known.push(testcase);
      else index.set(text, [testcase]);
    }
  return index;
}

/** The column whose values are found most often; undefined where none is. */
function mostFound(
  columns: string[],
  rows: AnswerRow[],
  isKnown: (value: unknown) => boolean,
): string | undefined {
  const counts = columns.map((name) => ({
    name,
    count: rows.filter(({ values }) => values.has(name) && isKnown(values.get(name))).length,
  }));
  const most = counts.toSorted((one, other) => other.count - one.count)[0];
  return most && most.count > 0 ? most.name : undefined;
}

/** A value as text in which a cell and the JSON that it was saved from are alike. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  const text =
    typeof value === 'string'
      ? value
      : isComposite(value)
        ? canonicalText(value)
        : writeJson(value);
  return text.replaceAll('\r\n', '\n').trim();
}

const joined = (values: unknown[]): string => JSON.stringify(values.map(textOf));

/** The columns that may be answers, and which of them are taken for answers at first. */
export function answerColumns(
  { columns }: AnswerFile,
  { way }: Pick<Matching, 'way'>,
  { inputs, expected, metadata }: FieldMapping,
): { possible: string[]; suggested: string[] } {
  const used = new Set<string>([...(way?.columns ?? []), ...inputs]);
  const possible = columns.filter((name) => !used.has(name) && !keyNames.test(name));
  const own = possible.filter((name) => !expected.includes(name) && !metadata.includes(name));
  const roleOf = rolesAmong([...columns, 'expected'], {});
  const suggestions = [
    own.filter((name) => roleOf(name) === 'output'),
    own.filter((name) => guessRole(name) !== 'metadata'),
    possible.filter((name) => expected.includes(name)),
  ];
  return { possible, suggested: suggestions.find(({ length }) => length > 0) ?? [] };
}

/** The answers that a column has. */
export const answersIn = (matched: Matching['matched'], column: string): Matching['matched'] =>
  matched.filter(({ row }) => row.values.has(column));
