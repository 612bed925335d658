import { createSchemaChecker } from '@assay/json-schema/schema';
import { checkBuiltin } from '../check.ts';
import { evaluate } from '../evaluate.ts';
import type { OutputType } from '../evaluation.ts';

interface Case {
  name: string;
  options?: Record<string, unknown>;
  outputType?: OutputType;
  expected?: unknown;
  outputs?: unknown;
}

const booleanEvaluators = [
  'exact_match',
  'contains',
  'regex_match',
  'json_equal',
  'json_schema',
  'number_close',
];

/** The evaluators with a schema checker that has time. */
export function createSetting() {
  const schemaChecker = createSchemaChecker({ timeoutMs: 10_000 });
  const run = ({ name, options, outputType, expected = {}, outputs = {} }: Case) =>
    evaluate({
      builtin: { name, options },
      outputType: outputType ?? (booleanEvaluators.includes(name) ? 'boolean' : 'float'),
      expected,
      outputs,
      schemaChecker,
    });

  /**
   * The value of one output against one expected value; the failure's message where there is none.
   */
  async function judge(
    name: string,
    output: unknown,
    expected: unknown,
    options?: Record<string, unknown>,
  ) {
    const result = await run({ name, options, outputs: { o: output }, expected: { e: expected } });
    return result.ok ? result.value : result.message;
  }

  const check = (
    name: string,
    options: Record<string, unknown> = {},
    outputType: OutputType = 'boolean',
  ) => checkBuiltin({ builtin: { name, options }, outputType, schemaChecker });

  return { schemaChecker, run, judge, check, close: () => schemaChecker.close() };
}
