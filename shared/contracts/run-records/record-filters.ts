import { z } from 'zod';
import { decimal, jsonPointerCharactersMax, numberParameter, reference, text } from '../fields.ts';

/** The outcomes by which records are found: a score's state, or whether its value passes. */
export const recordOutcome = z.enum([
  'pass',
  'fail',
  'failed',
  'pending',
  'awaited',
  'stopped',
  'errored',
  'invalid',
]);
export type RecordOutcome = z.infer<typeof recordOutcome>;

const breakdownForm = /^(?:tags|\/(?:inputs|metadata)(?:\/(?:[^~/]|~[01])*)+)$/;

const value = z
  .string()
  .max(32)
  .refine(
    (text) => text === 'true' || text === 'false' || decimal.test(text),
    'must be true, false or a number',
  )
  .transform((text) => (decimal.test(text) ? Number(text) : text === 'true'))
  .optional();

/**
 * The filters and the order of a run's records (contract section 4). Filters that stand alone are
 * read from an index; see the description of the operation for the others.
 */
export const recordFilters = {
  tags: z
    .union([text(10_000, 1).transform((value) => [value]), z.array(text(10_000, 1)).max(50)])
    .optional()
    .meta({
      description: 'Repeatable: only records that have all of these tags.',
      override: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 50 },
    }),
  metricVersionId: reference().optional().meta({
    description: 'The metric version of `outcome`, `value`, `min` and `max`: one of the run.',
  }),
  outcome: recordOutcome.optional().meta({
    description:
      "With `metricVersionId`: `pass` and `fail` by the record's value, `failed` without a score for good, `pending` until the service has made the score, `awaited` until people or clients have given it, `errored` where the system gave no answer, `invalid` where the score does not fit its metric.",
  }),
  value: value.meta({
    description: "With `metricVersionId`: exactly this value of the metric's output type.",
    override: { anyOf: [{ type: 'boolean' }, { type: 'number' }] },
  }),
  min: numberParameter('With `metricVersionId` of an int or float metric: at least this value.'),
  max: numberParameter('With `metricVersionId` of an int or float metric: at most this value.'),
  assignee: reference()
    .min(1)
    .optional()
    .meta({ description: "A member's id, or `me` for the key's own member." }),
  hasAnnotations: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .meta({
      description: 'Only records that have annotations, or only those that have none.',
      override: { type: 'boolean' },
    }),
  hasError: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .meta({
      description: 'Only records whose system gave no answer, or only the others.',
      override: { type: 'boolean' },
    }),
  testcaseId: reference().min(1).optional().meta({ description: 'Only records of this testcase.' }),
  breakdownBy: z
    .string()
    .max(jsonPointerCharactersMax)
    .regex(breakdownForm, 'must be the `by` of a breakdown, such as /inputs/topic')
    .optional()
    .meta({
      description:
        'With `breakdownValue`, only the records of one row of a breakdown of the run: its `by`, which is `tags` or a JSON Pointer that starts with `/inputs/` or `/metadata/`.',
      override: { type: 'string', maxLength: jsonPointerCharactersMax },
    }),
  breakdownValue: text(10_000, 1).optional().meta({
    description:
      'The `value` of that row, as it stands there: JSON text, or `sha256:` and a hash. `none` for the records without a value, whose row has `value` null.',
  }),
  order: z.enum(['asc', 'desc']).optional().meta({
    description: 'Oldest first (`asc`) when left out; with `sort`, lowest value first.',
  }),
  sort: z
    .string()
    .max(300)
    .regex(/^value:./, 'must be "value:" and the id of a metric version of the run')
    .transform((value) => value.slice('value:'.length))
    .optional()
    .meta({
      description:
        '`value:<metricVersionId>`: by the values of a metric version, and by id where they are equal. Records that have no value come last in either order; records that the metric version is not meant for are left out.',
      override: { type: 'string', pattern: '^value:.' },
    }),
};
