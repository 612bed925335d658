import { z } from 'zod';
import { jsonObject, text } from '../fields.ts';

/** The built-in evaluators; a test compares them with those that there are. */
export const evaluatorNames = [
  'exact_match',
  'contains',
  'regex_match',
  'json_equal',
  'json_schema',
  'number_close',
  'levenshtein',
  'token_f1',
  'rouge_l',
  'set_f1',
] as const;

/** A name that is none of them is refused where it stands, with the names that there are. */
export const evaluatorName = text(64, 1).meta({
  override: { type: 'string', enum: [...evaluatorNames] },
});

export const evaluator = z
  .object({
    name: evaluatorName,
    summary: z.string().meta({ description: 'What it compares, in a sentence.' }),
    outputTypes: z
      .array(z.enum(['boolean', 'float']))
      .meta({ description: 'Metrics in which it can be used.' }),
    options: jsonObject('The JSON Schema of `builtin.options`.'),
    example: z
      .object({
        options: jsonObject('As a metric would have them.'),
        expected: jsonObject('Of a record.'),
        outputs: jsonObject('Of the same record.'),
        value: z
          .union([z.boolean(), z.number()])
          .meta({ description: 'The value that comes out.' }),
      })
      .meta({ description: 'A record, and what it gets.' }),
  })
  .meta({ id: 'Evaluator', description: 'A built-in evaluator of heuristic metrics.' });
export type Evaluator = z.infer<typeof evaluator>;
