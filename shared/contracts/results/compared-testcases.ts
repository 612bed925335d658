import { z } from 'zod';
import { count, id, reference, referenceCharactersMax } from '../fields.ts';
import { comparedRecord } from './comparison.ts';

/** Runs that are compared testcase by testcase. */
export const comparedRunsMax = 8;

const candidatesMax = comparedRunsMax - 1;

/** The runs that are compared with the baseline, as a request names them. */
export const candidateRunIds = z
  .union([reference().transform((id) => [id]), z.array(reference()).min(1).max(candidatesMax)])
  .meta({
    description: 'Repeatable: the runs that are compared with the baseline.',
    override: {
      type: 'array',
      items: { type: 'string', maxLength: referenceCharactersMax },
      minItems: 1,
      maxItems: candidatesMax,
    },
  });

export const testcaseOrder = z.enum(['disagreement', 'failures', 'oldest']);
export type TestcaseOrder = z.infer<typeof testcaseOrder>;

export const comparedTestcase = z
  .object({
    testcaseId: id(),
    disagreement: z.number().nullable().meta({
      description:
        'The standard deviation of its values: 0 where the runs agree, null where fewer than two have one.',
    }),
    runs: z
      .array(
        z.object({
          value: z.union([z.boolean(), z.number()]).nullable().meta({
            description: "The testcase's value in the run; null where it has none.",
          }),
          passes: z.boolean().nullable().meta({
            description:
              'Whether it passes; null without a value, and where the metric has no threshold.',
          }),
          record: comparedRecord
            .nullable()
            .meta({ description: 'Its latest scored record there.' }),
          numRecords: count().meta({ description: 'Its scored records there.' }),
        }),
      )
      .meta({ description: 'The baseline first, and then the others in the order asked.' }),
  })
  .meta({
    id: 'ComparedTestcase',
    description: 'A testcase with its value and its latest scored record in several runs.',
  });
