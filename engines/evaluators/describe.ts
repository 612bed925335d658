import { catalogue, type Evaluator, sharedOptions } from './catalogue.ts';
import type { OutputType } from './evaluation.ts';

/** A built-in evaluator as clients see it. */
export interface EvaluatorDescription {
  name: string;
  summary: string;
  /** The metrics in which it can be used; its own kind first. */
  outputTypes: Exclude<OutputType, 'int'>[];
  /** The JSON Schema of `builtin.options`. */
  options: Record<string, unknown>;
  example: Evaluator['example'];
}

/** Describes every built-in evaluator, in the order of the catalogue. */
export const describeEvaluators = (): EvaluatorDescription[] =>
  [...catalogue].map(([name, evaluator]) => ({
    name,
    summary: evaluator.summary,
    outputTypes: evaluator.gives === 'float' ? ['float', 'boolean'] : ['boolean', 'float'],
    options: optionsSchema(evaluator),
    example: evaluator.example,
  }));

function optionsSchema({
  gives,
  options,
  required,
  readsExpected,
}: Evaluator): Record<string, unknown> {
  const { output, expected, threshold } = sharedOptions;
  const all = {
    output,
    ...(readsExpected ? { expected } : {}),
    ...options,
    ...(gives === 'float' ? { threshold } : {}),
  };
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(all).map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 ? { required: [...required] } : {}),
    additionalProperties: false,
  };
}
