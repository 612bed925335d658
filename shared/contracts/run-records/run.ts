import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import {
  count,
  id,
  instantParameter,
  jsonObject,
  name,
  numberParameter,
  reference,
  text,
  timestamp,
} from '../fields.ts';
import { awaitedModel } from '../scoring/awaited-model.ts';
import { runPartFields } from './run-part.ts';
import { stoppingFields } from './stopping.ts';

export const runSource = z.enum(['API', 'Monitor', 'Playground', 'Kickoff']);
export const runStatus = z.enum([
  'pending',
  'awaiting_execution',
  'running_execution',
  'awaiting_scoring',
  'running_scoring',
  'awaiting_human_scoring',
  'completed',
]);
export type RunStatus = z.infer<typeof runStatus>;

const labelKey = text(64, 1).refine((key) => !key.includes(':'));
const labelValue = text(256, 1);
const labelsMax = 20;

/**
 * Names and values by which runs are found. Not `z.record`, which leaves out a key that is called
 * `__proto__`.
 */
export const runLabels = jsonObject<string>('Keys and values by which runs are found.')
  .superRefine((sent, context) => {
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const entries = Object.entries(sent);
    if (entries.length > labelsMax) {
      refuse([], `must have at most ${labelsMax} labels`);
      return;
    }
    for (const [key, value] of entries) {
      if (!labelKey.safeParse(key).success)
        refuse([key], 'must have a key of 1 to 64 characters without a colon');
      if (!labelValue.safeParse(value).success)
        refuse([key], 'must be a string of 1 to 256 characters');
    }
  })
  .meta({
    override: {
      type: 'object',
      maxProperties: labelsMax,
      propertyNames: { pattern: '^[^:]{1,64}$' },
      additionalProperties: { type: 'string', minLength: 1, maxLength: 256 },
    },
  });

/** A run's accounts: `expected` is the sum of the others at every read (contract section 5). */
export const scoringAccount = z
  .object({
    expected: count().meta({
      description: 'The sum of the other counts, at every read.',
    }),
    scored: count().meta({ description: 'Scores that there are.' }),
    failed: count().meta({ description: 'Scores that failed for good.' }),
    pending: count().meta({ description: 'Scores that are still to be made or given.' }),
    errored: count().optional().meta({
      description:
        'Scores of records whose system gave no answer, which nobody is asked for; left out where there are none.',
    }),
    notApplicable: count().optional().meta({
      description:
        'Scores for which the evaluator said that its metric does not apply; left out where there are none.',
    }),
    invalid: count().optional().meta({
      description: 'Scores that do not fit their metric; left out where there are none.',
    }),
    stopped: count().optional().meta({
      description:
        'Scores for which no judge was asked, since `stopWhen` was decided without them; left out where there are none.',
    }),
  })
  .meta({ id: 'ScoringAccount' });

export const exampleRun = {
  id: exampleIds.run,
  testsetId: exampleIds.testset,
  systemId: exampleIds.system,
  systemVersionId: exampleIds.systemVersion,
  metricIds: [exampleIds.metric],
  metricVersionIds: [exampleIds.metricVersion],
  name: 'Prompt 14',
  labels: { commit: '4f7c2aa', branch: 'main' },
  createdByUserId: exampleIds.user,
  numRecords: 200,
  numExpectedRecords: 200,
  repeats: 1,
  numScores: 199,
  status: 'completed',
  source: 'API',
  createdAt: exampleInstant,
  scoring: { expected: 200, scored: 199, failed: 1, pending: 0 },
  costUsd: 0,
  cache: 'use',
  cachedAnswers: 0,
  budgetUsd: null,
  isPaused: false,
};

/** Whether answers that judges gave before are used again: contract of the answer cache. */
export const answerCache = z.enum(['use', 'bypass']).meta({
  id: 'AnswerCache',
  description:
    '`use`: a question that a judge has answered at temperature 0 is not asked again. `bypass`: every question is asked, and no answer is kept for later.',
});
export type AnswerCache = z.infer<typeof answerCache>;

/** A problem of a run that can be made all the same. */
const runWarning = z
  .object({
    code: z.enum(['no_metrics']).meta({ description: 'Which warning it is.' }),
    path: z.string().meta({ description: 'The field, as a JSON Pointer.' }),
    message: z.string().meta({ description: 'A sentence for people.' }),
  })
  .meta({ id: 'RunWarning' });
export type RunWarning = z.infer<typeof runWarning>;

/** How many records of each testcase a run is to have. */
export const repeats = () => z.int().min(1).max(100);

/** The parts of a run that may be given at its creation and changed afterwards. */
export const runBody = {
  name: name().nullish().meta({ description: 'Null for none.' }),
  labels: runLabels.optional(),
  budgetUsd: z.number().min(0).max(1_000_000).nullish().meta({
    description: 'US dollars past which judges are not asked any more; null for no bound.',
  }),
};

const labelForm = /^[^:]{1,64}:[\s\S]{1,256}$/u;
const isNoLabel = `must be a key and a value, such as commit:abc, and given at most ${labelsMax} times`;
const labelFilter = z.string().regex(labelForm, isNoLabel);

/** One label, as `key:value`. */
export const labelText = z
  .string()
  .regex(labelForm, 'must be a key and a value, such as commit:abc');

/** The filters of the list of runs, of which a run must pass all that are given, and its order. */
export const runFilters = z.object({
  label: z
    .union([labelFilter.transform((label) => [label]), z.array(labelFilter).max(labelsMax)], {
      error: isNoLabel,
    })
    .optional()
    .meta({
      description:
        'A label as `key:value`, such as `commit:abc`; repeatable: the runs that have all of them.',
      override: {
        type: 'array',
        items: { type: 'string', pattern: labelForm.source },
        maxItems: labelsMax,
      },
    }),
  testsetId: reference().optional().meta({ description: 'Only runs over this testset.' }),
  systemVersionId: reference()
    .optional()
    .meta({ description: 'Only runs of this version of a system.' }),
  source: runSource.optional().meta({ description: 'Only runs that were made by this.' }),
  createdBy: reference()
    .optional()
    .meta({ description: 'The id of the member who made the run, or `me`.' }),
  status: runStatus.optional().meta({ description: 'The status at the time of reading.' }),
  name: name().optional().meta({ description: 'A part of the name, in upper or lower case.' }),
  from: instantParameter('Made then or later.'),
  to: instantParameter('Made before.'),
  metricId: reference().optional().meta({
    description:
      'With `min`, `max` or `sort=mean`: only runs with a mean of this metric, as it was when they were quiet last. `latency`, `input_tokens`, `output_tokens` and `cost` are those of the records themselves.',
  }),
  min: numberParameter('With `metricId`: the least mean.'),
  max: numberParameter('With `metricId`: the greatest mean.'),
  sort: z.enum(['createdAt', 'name', 'mean']).optional().meta({
    description:
      'By the time at which runs were made when left out, by name in any case, or by the mean of `metricId`. Runs without a name come last in either order.',
  }),
  order: z.enum(['asc', 'desc']).optional().meta({
    description:
      'Newest first (`desc`) when left out; by name, A to Z (`asc`); by mean, the greatest first (`desc`).',
  }),
});
export type RunFilters = z.output<typeof runFilters>;

export const run = z
  .object({
    id: id(),
    testsetId: id().nullable(),
    systemId: id().nullable(),
    systemVersionId: id().nullable(),
    metricIds: z.array(id()).meta({ description: 'The metrics that score its records.' }),
    metricVersionIds: z
      .array(id())
      .meta({ description: 'Their versions when the run was made, which do not change.' }),
    name: name().optional(),
    labels: runLabels.optional(),
    createdByUserId: id()
      .nullable()
      .meta({ description: 'The member who made the run; null for runs of 0.1.0.' }),
    numRecords: count().meta({ description: 'Records that there are.' }),
    numExpectedRecords: count().nullable().meta({
      description: 'Testcases of the run × repeats; null without a testset.',
    }),
    ...runPartFields,
    repeats: repeats().meta({ description: 'Records that each testcase is to have.' }),
    numScores: count().meta({ description: 'Scores that there are, `scoring.scored`.' }),
    status: runStatus.meta({ description: 'Computed from progress, never set.' }),
    source: runSource.meta({ description: 'By what it was made.' }),
    createdAt: timestamp(),
    scoring: scoringAccount,
    costUsd: z.number().meta({
      description:
        'What the judges of this run cost so far, in US dollars; what is scored anew costs anew.',
    }),
    cache: answerCache,
    cachedAnswers: count().meta({
      description: "How many of the judges' answers came from the cache so far: they cost nothing.",
    }),
    budgetUsd: z
      .number()
      .nullable()
      .meta({ description: 'Past it, judges are not asked any more.' }),
    isPaused: z.boolean().meta({ description: 'Nothing is scored until it is resumed.' }),
    expiredAt: timestamp().optional().meta({
      description:
        "When the run expired by its project's `runRetentionDays`; left out of a run that has not. Its records are gone; its counts are those of that moment, and `POST /run-summaries` gives the results of it.",
    }),
    ...stoppingFields,
    waitingFor: z.array(awaitedModel).optional().meta({
      description:
        'The models of its judges whose providers are away while its scores wait for them. Told of a run that is read by its id; left out where there are none.',
    }),
    warnings: z.array(runWarning).optional().meta({ description: 'Told at creation.' }),
  })
  .meta({
    id: 'Run',
    description: 'One evaluation of one system version.',
    examples: [exampleRun],
  });
export type Run = z.infer<typeof run>;
