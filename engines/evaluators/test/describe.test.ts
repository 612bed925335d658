import { evaluatorNames } from '@assay/contracts/metrics/evaluator';
import { createSchemaChecker } from '@assay/json-schema/schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { afterAll, describe, expect, test } from 'vitest';
import { findProblems } from '../check.ts';
import { describeEvaluators } from '../describe.ts';
import { evaluate } from '../evaluate.ts';

const schemaChecker = createSchemaChecker({ timeoutMs: 10_000 });
afterAll(() => schemaChecker.close());

const evaluators = describeEvaluators();
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

/** Values of every kind that an option may be given. */
const values = [
  true,
  false,
  'text',
  '',
  '/a',
  '/a~2',
  0,
  0.5,
  1,
  -1,
  2,
  null,
  [],
  {},
  { type: 'object' },
];

test('the contract names the evaluators that there are', () => {
  expect(evaluators.map(({ name }) => name)).toEqual([...evaluatorNames]);
});

describe.each(evaluators)('$name', ({ name, outputTypes, options, example }) => {
  const isValid = ajv.compile(options);

  test('has an example that comes out as it says', async () => {
    expect(isValid(example.options), JSON.stringify(isValid.errors)).toBe(true);
    const { options: given, expected, outputs, value } = example;
    const builtin = { name, options: given };
    expect(
      await evaluate({ builtin, outputType: outputTypes[0]!, expected, outputs, schemaChecker }),
    ).toMatchObject({ ok: true, value });
  });

  test('takes the options that its JSON Schema takes, and no others', () => {
    // The type of metric in which it has all of its options.
    const outputType = outputTypes.at(-1) === 'boolean' ? 'boolean' : outputTypes[0]!;
    const needed =
      outputTypes[0] === 'float' ? { ...example.options, threshold: 0.5 } : example.options;
    for (const option of [...Object.keys(options.properties as object), 'unknown'])
      for (const value of values) {
        const given = { ...needed, [option]: value };
        const problems = findProblems({ builtin: { name, options: given }, outputType });
        expect([option, value, problems.length === 0]).toEqual([option, value, isValid(given)]);
      }
  });
});
