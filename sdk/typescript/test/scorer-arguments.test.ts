import { describe, expect, test } from 'vitest';
import { evaluate } from '../src/evaluate.ts';
import { argumentsOf } from '../src/scorer-arguments.ts';

/** The means of scorers written in JavaScript over one record, by their names. */
async function said(scores: Record<string, unknown>, testcase: object, answer: unknown) {
  const { metrics } = await evaluate('P', {
    local: true,
    quiet: true,
    testcases: [testcase],
    system: () => answer,
    scores: scores as never,
  });
  return Object.fromEntries(metrics.map(({ name, mean }) => [name, mean]));
}

type Values = Record<string, string>;
type Fields = Record<string, Record<string, unknown>>;

const testcase = { inputs: { q: 'a' }, expected: { answer: 'A' } };

/** As autoevals has it. */
async function levenshtein(args: { output: string; expected?: string }) {
  const { output, expected } = args;
  return { name: 'Levenshtein', score: output === expected ? 1 : 0, metadata: {} };
}

describe('a scorer gets by a singular name', () => {
  test.each<[string, unknown]>([
    ['output and expected', ({ output, expected }: Values) => output === expected],
    ['expected before output', ({ expected, output }: Values) => output === expected],
    [
      'another name for it',
      ({ output: said, expected: wanted, input }: Values) => said === wanted && input === 'a',
    ],
    ['autoevals', levenshtein],
    ['a scorer of autoevals in a function', (record: { output: string }) => levenshtein(record)],
    ['a bound one', levenshtein.bind(undefined)],
    ['members', (record: Values) => record.expected === 'A' && record.output === 'A'],
    [
      'members in a function',
      // biome-ignore lint/complexity/useArrowFunction: its text is another one.
      async function (record: Values) {
        const { expected, output } = record;
        return expected === output;
      },
    ],
    ['a reference', ({ output, reference }: Values) => output === 'A' && reference === 'A'],
  ])('the value of the only field: %s', async (name, scorer) => {
    expect(await said({ [name]: scorer }, testcase, { answer: 'A' })).toEqual({ [name]: 1 });
  });

  test('the value without a name beside other fields', async () => {
    const rows = { inputs: { input: 'a', hint: 'b' }, expected: { expected: 'A', also: 'B' } };
    const S = ({ input, output, expected }: Values) => `${input}${output}${expected}` === 'aAA';
    expect(await said({ S }, rows, { output: 'A', tokens: 3 })).toEqual({ S: 1 });
  });

  test('the object where it has several fields, and null where it has none', async () => {
    const S = ({ output, expected }: Fields) => output?.b === 2 && expected === null;
    expect(await said({ S }, { inputs: { q: 1 } }, { a: 1, b: 2 })).toEqual({ S: 1 });
  });
});

test.each<[string, unknown]>([
  ['alone', ({ expected }: Fields) => expected?.answer === 'A'],
  ['beside outputs', ({ outputs, expected }: Fields) => outputs?.answer === expected?.answer],
  [
    'beside both',
    ({ output, outputs, expected }: Fields) => outputs && output === expected?.answer,
  ],
  [
    'beside a variable of another name',
    (record: Fields) => {
      const output = record.expected?.answer;
      return output === 'A';
    },
  ],
  [
    'by its own name',
    ({ output, referenceOutputs }: Fields) => output === referenceOutputs?.answer,
  ],
])('what is expected has its fields %s', async (name, scorer) => {
  const S = scorer as (record: unknown) => unknown;
  const isRight = (record: unknown) => Boolean(S(record));
  Object.defineProperty(isRight, 'toString', { value: () => String(scorer) });
  expect(await said({ [name]: isRight }, testcase, { answer: 'A' })).toEqual({ [name]: 1 });
});

test('a scorer gets the metadata of the testcase', async () => {
  const S = ({ metadata }: Fields) => metadata?.lang === 'de';
  const row = { ...testcase, metadata: { lang: 'de' } };
  expect(await said({ S }, row, { answer: 'A' })).toEqual({ S: 1 });
});

test('a record is written with all its names', () => {
  const record = { inputs: { q: 1 }, outputs: { a: 2 }, expected: {}, metadata: { lang: 'de' } };
  const seen = argumentsOf((all) => Boolean(all), record);
  expect(JSON.parse(JSON.stringify(seen))).toEqual({
    ...record,
    ...{ input: 1, output: 2, reference: null, referenceOutputs: {} },
  });
});

test.each<[string, unknown, string]>([
  [
    'ouput',
    ({ ouput }: Values) => ouput === 'A',
    'Did you mean "output" or "outputs" or "input"? ',
  ],
  ['foo', ({ foo }: Values) => foo, ''],
  ['foo', { scorer: async ({ foo, bar }: Values) => `${foo}${bar}`, min: 0, max: 9 }, ''],
])('a parameter %s that nothing fills is told before the first call', async (name, S, advice) => {
  let calls = 0;
  const refused = evaluate('P', {
    local: true,
    quiet: true,
    testcases: [testcase],
    system: () => ++calls,
    scores: { S: S as never },
  });
  await expect(refused).rejects.toThrow(
    `The scorer "S" of \`scores\` has the parameter "${name}", which nothing fills. ${advice}`,
  );
  expect(calls).toBe(0);
});

test('a parameter with a default, and one beside those that are filled, may be missing', async () => {
  const S = ({ output, outputParser, model, least = '0', ...others }: Values) =>
    output === 'A' &&
    model === undefined &&
    outputParser === undefined &&
    least === '0' &&
    Boolean(others);
  expect(await said({ S }, testcase, 'A')).toEqual({ S: 1 });
});
