import type { Fields } from './entity.ts';
import type { ImportOptions, Role, TestcaseFacts } from './item.ts';

const expectedNames =
  /^(expected|ideal|ideal_answer|reference|reference_answer|reference_output|ground_truth|gold|golden|target|label|answer|answers|solution|completion|output|outputs|sql|correct)$/;
const metadataNames =
  /^(id|_id|key|index|idx|split|category|tag|tags|difficulty|source|comment|notes?|metadata|created_?at|updated_?at)$/;

/** Names of a reference, and of nothing else. */
const referenceNames =
  /^(expected.*|ideal|ideal_(answer|output|response)|reference.*|ground_truth|gold|golden|target)$/;
/** Names of answers beside a reference; alone they are the reference. */
const answerNames = /^(answer|answers|completion|output|outputs|solution)$/;
const outputNames =
  /^(responses?|predictions?|predicted|generations?|generated|(model|actual|predicted|generated|system|assistant|llm)_(output|answer|response|completion|prediction|text)|(gpt|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok)([_.:/\d].*)?)$/;
/** `output_v2`, but neither `output_format` nor another fact about an output. */
const variantNames =
  /^(output|answer|response|prediction)_(?!.*(ids?|types?|formats?|choices|options|tokens|time|ms|length|count|index|cost|usd|schema)$)/;

const plainOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** The role that the name of a field of a testcase suggests. */
export function guessRole(name: string): 'input' | 'expected' | 'metadata' {
  const plain = plainOf(name);
  if (/^expected/.test(plain) || expectedNames.test(plain)) return 'expected';
  return metadataNames.test(plain) ? 'metadata' : 'input';
}

/**
 * Returns the role of each column of a table whose columns are these: `answer` is expected, unless
 * another column is the reference.
 */
export function rolesAmong(
  columns: readonly string[],
  { roles = {} }: Pick<ImportOptions, 'roles'>,
): (column: string) => Role {
  const given = (name: string) => (Object.hasOwn(roles, name) ? roles[name] : undefined);
  const hasReference = columns.some(
    (name) => (given(name) ?? 'expected') === 'expected' && referenceNames.test(plainOf(name)),
  );
  return (name) => {
    const plain = plainOf(name);
    const isOutput =
      outputNames.test(plain) ||
      variantNames.test(plain) ||
      (hasReference && answerNames.test(plain));
    return given(name) ?? (isOutput ? 'output' : guessRole(name));
  };
}

/** The column of an export of this service that has the testcase's key. */
const keyColumn = '_key';

/** A testcase of a row whose columns have no given meaning. Columns without a value are left out. */
export function testcaseOf(
  fields: Fields,
  { roleOf, key = keyColumn }: { roleOf: (column: string) => Role; key?: string | undefined },
): TestcaseFacts {
  const entries = Object.entries(fields).filter(([name]) => name !== keyColumn);
  const of = (role: Role) => Object.fromEntries(entries.filter(([name]) => roleOf(name) === role));
  const id = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return {
    ...(id === undefined || id === null || id === '' ? {} : { key: String(id) }),
    inputs: of('input'),
    expected: of('expected'),
    metadata: of('metadata'),
  };
}
