import type { Fields } from './entity.ts';
import type { ImportOptions, TestcaseFacts } from './item.ts';

const expectedNames =
  /^(expected|ideal|ideal_answer|reference|reference_answer|reference_output|ground_truth|gold|golden|target|label|answer|answers|solution|completion|output|outputs|sql|correct)$/;
const metadataNames =
  /^(id|_id|key|index|idx|split|category|tag|tags|difficulty|source|comment|notes?|metadata|created_?at|updated_?at)$/;

/** The role that the name of a column suggests. */
export function guessRole(name: string): 'input' | 'expected' | 'metadata' {
  const plain = name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  if (/^expected/.test(plain) || expectedNames.test(plain)) return 'expected';
  return metadataNames.test(plain) ? 'metadata' : 'input';
}

/** The column of an export of this service that has the testcase's key. */
const keyColumn = '_key';

/** A testcase of a row whose columns have no given meaning. Columns without a value are left out. */
export function testcaseOf(
  fields: Fields,
  { roles = {}, key = keyColumn }: ImportOptions,
): TestcaseFacts {
  const entries = Object.entries(fields).filter(([name]) => name !== keyColumn);
  const of = (role: string) =>
    Object.fromEntries(
      entries.filter(
        ([name]) => (Object.hasOwn(roles, name) ? roles[name] : guessRole(name)) === role,
      ),
    );
  const id = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return {
    ...(id === undefined || id === null || id === '' ? {} : { key: String(id) }),
    inputs: of('input'),
    expected: of('expected'),
    metadata: of('metadata'),
  };
}
