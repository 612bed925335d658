import { z } from 'zod';
import { count } from '../fields.ts';

export const verdict = z.enum(['better', 'worse', 'undecided']);
export type Verdict = z.infer<typeof verdict>;

export const interval = z
  .object({
    low: z.number().meta({ description: 'Its lower end.' }),
    high: z.number().meta({ description: 'Its upper end.' }),
    level: z.number().meta({ description: 'Its confidence, such as 0.95.' }),
  })
  .meta({ id: 'ConfidenceInterval', description: 'A confidence interval.' });

/** The confidence that a request asks for. */
export const confidenceLevel = (about: string) =>
  z.number().gt(0.5).lt(1).default(0.95).meta({ description: about });

/** Whether the records of systems that failed count as the worst of each metric, or not at all. */
export const errorsCounting = z.enum(['worst', 'exclude']).default('worst').meta({
  description:
    'A record whose system gave no answer counts as the worst that each metric can say (`worst`), or in no metric (`exclude`). Errors are told, and compared themselves, in either case.',
});
export type ErrorsCounting = z.infer<typeof errorsCounting>;

/** The field, or the tags, by which a run or a comparison is broken down. */
export const breakdownBy = (about: string) =>
  z
    .string()
    .max(1000)
    .optional()
    .meta({
      description: `A JSON Pointer into inputs or metadata, for example \`/inputs/topic\`, or \`tags\`: ${about}`,
    });

/** The first column of a breakdown. */
export const brokenDownValue = z.string().nullable().meta({
  description:
    'The value as JSON text, so that `"1"` is told apart from `1`; of one of more than 200 characters `sha256:` and its hash. Null for those that have none.',
});

/** Where a breakdown found its values. */
export const brokenDownBy = z.string().meta({
  description:
    'Where the values were found: a JSON Pointer that begins with inputs or metadata, or `tags`.',
});

/** The scores of a metric in a run that nobody knows, by the reason. */
export const unknownCounts = {
  missing: count().meta({
    description:
      'Scores that are still to be made or given, and those of records that the run expects and does not have.',
  }),
  failed: count().meta({ description: 'Scores that failed for good.' }),
  invalid: count().meta({ description: 'Scores that do not fit their metric.' }),
};

/** Errors by their names, the most frequent first. */
export const errorNames = z.array(
  z.object({
    name: z.string().meta({ description: '`Error` for those without a name.' }),
    count: count().meta({ description: 'Records.' }),
  }),
);

/** A figure of a warning. */
export const warningDetails = z
  .record(z.string(), z.union([z.string(), z.number(), z.array(z.string()), errorNames]))
  .meta({
    description: 'The figures of the sentence: texts, numbers and lists.',
    override: { type: 'object', additionalProperties: true },
  });
