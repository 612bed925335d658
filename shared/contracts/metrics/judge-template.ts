import { z } from 'zod';
import { jsonObject, name, text } from '../fields.ts';

/** The ready-made judges; a test compares them with those that there are. */
export const judgeTemplateNames = [
  'faithfulness',
  'answer_relevance',
  'correctness',
  'instruction_following',
  'toxicity',
  'refusal',
  'tone',
  'json_agreement',
] as const;

/** A name that is none of them is refused where it stands, with the names that there are. */
const judgeTemplateName = text(64, 1)
  .refine(
    (name) => judgeTemplateNames.some((known) => known === name),
    `must be one of ${judgeTemplateNames.join(', ')}`,
  )
  .meta({ override: { type: 'string', enum: [...judgeTemplateNames] } });

const recordPointer = z
  .string()
  .meta({ description: 'A JSON Pointer into the record, such as `/inputs/question`.' });

export const judgeTemplate = z
  .object({
    name: judgeTemplateName,
    version: z.int().min(1).meta({ description: 'Raised with each change of the wording.' }),
    title: z.string().meta({ description: 'The name of a metric that is made from it.' }),
    summary: z.string().meta({ description: 'What it judges, in a sentence.' }),
    description: z.string().meta({ description: 'Of a metric that is made from it.' }),
    whenToUse: z.string().meta({ description: 'For which systems it is meant.' }),
    whenNotToUse: z.string().meta({ description: 'Where another one fits better.' }),
    outputType: z.enum(['boolean', 'int']).meta({ description: 'What a score of it is.' }),
    passingThreshold: z.int().optional().meta({ description: 'Of an int template.' }),
    fields: z
      .array(
        z.object({
          name: z.string(),
          pointer: recordPointer,
          description: z.string(),
          isOptional: z
            .boolean()
            .meta({ description: 'The prompt does without it where a record has none.' }),
        }),
      )
      .meta({ description: 'What the prompt reads, and where it usually stands.' }),
    guidelines: z.string().meta({ description: 'What the judge scores by.' }),
    promptTemplate: z.string().meta({
      description: 'Its first lines name the fields; the rest does not depend on where they stand.',
    }),
    examples: z
      .array(
        z.object({
          inputs: jsonObject('Of a record.'),
          expected: jsonObject('Of the same record.'),
          outputs: jsonObject('Of the same record.'),
          value: z.union([z.boolean(), z.number()]).meta({ description: 'The right score.' }),
          reasoning: z.string().meta({ description: 'The reason that a good judge gives.' }),
        }),
      )
      .meta({ description: 'At least one for each value that can come out.' }),
  })
  .meta({
    id: 'JudgeTemplate',
    description: 'A ready-made judge: an ai metric that a project adopts, and owns from then on.',
  });
export type JudgeTemplate = z.infer<typeof judgeTemplate>;

export const metricAdoption = z.object({
  template: judgeTemplateName.meta({ description: 'The name of the template.' }),
  name: name().optional().meta({ description: "The template's title when left out." }),
  fields: jsonObject(
    'Where records have the fields of the template that stand elsewhere: JSON Pointers by the names of fields.',
  )
    .superRefine((fields, context) => {
      for (const [field, pointer] of Object.entries(fields))
        if (typeof pointer !== 'string')
          context.addIssue({
            code: 'invalid_type',
            expected: 'string',
            input: pointer,
            path: [field],
          });
    })
    .meta({ override: { type: 'object', additionalProperties: { type: 'string' } } })
    .optional(),
});
