import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, timestamp } from '../fields.ts';
import { payload } from '../payload.ts';
import { validationError } from '../testcases.ts';
import { recordNotes } from './system-error.ts';

export const scoreSource = z.enum(['ai', 'heuristic', 'human']);

/** How a score that the service made came about. */
export const provenance = z
  .object({
    metricVersionId: z.string().meta({ description: 'The metric as it was when it scored.' }),
    evaluator: z.string().meta({
      description: '`judge`, the name of a built-in evaluator, or the language of the code.',
    }),
    model: z.string().optional().meta({ description: 'The model that judged.' }),
    promptHash: z
      .string()
      .optional()
      .meta({ description: 'SHA-256 of the instructions and the prompt that the judge was sent.' }),
    temperature: z
      .number()
      .nullable()
      .optional()
      .meta({ description: "null: the provider's own default." }),
    votes: z.int().optional().meta({ description: 'How often the judge was asked.' }),
    notes: z.array(z.string()).optional().meta({
      description: 'What was done otherwise than asked, for example a temperature left out.',
    }),
    inputTokens: z.int().optional().meta({ description: 'Of all votes.' }),
    outputTokens: z.int().optional().meta({ description: 'Of all votes.' }),
    costUsd: z.number().optional().meta({ description: 'Of all votes, in US dollars.' }),
    cached: z.boolean().optional().meta({
      description:
        'True where all votes came from the cache: no judge was asked, `costUsd` is 0, and the tokens are those of the first time.',
    }),
    cachedVotes: z
      .int()
      .optional()
      .meta({ description: 'How many of the votes came from the cache; left out for none.' }),
    durationMs: z.number().meta({ description: 'How long the scoring took, in milliseconds.' }),
    attempts: z.int().meta({
      description: 'Calls of the model, with those that repaired its answer; 1 without a model.',
    }),
  })
  .meta({ id: 'Provenance', description: 'How a score that the service made came about.' });
export type Provenance = z.infer<typeof provenance>;

export const exampleScore = {
  recordId: exampleIds.record,
  metricConfigId: exampleIds.metricVersion,
  userId: 'background-job',
  score: { binaryScore: true, value: true, reasoning: 'The output is the expected text.' },
  source: 'heuristic',
  createdAt: exampleInstant,
};

/** One score, as JSON. */
export const scoreBytesMax = 64 * 1024;

export const score = z
  .object({
    recordId: id(),
    metricConfigId: id().meta({ description: 'The metric version that it is of.' }),
    userId: z
      .string()
      .meta({ description: "A member's id, or `background-job` for what the service made." }),
    recordedByUserId: z.string().optional().meta({
      description: 'The member who recorded it for another; left out where it is their own.',
    }),
    score: payload(
      'Free JSON; expected to carry `binaryScore`, `intScore`, `floatScore` or `value`, and `reasoning`.',
    ),
    validationErrors: z
      .array(validationError)
      .optional()
      .meta({ description: 'Where the score is not what its metric expects.' }),
    source: scoreSource.meta({ description: 'A judge, an evaluator or code, or a person.' }),
    createdAt: timestamp(),
    provenance: provenance.optional(),
  })
  .meta({ id: 'Score', examples: [exampleScore] });

export const failureCode = z.enum([
  'no_provider',
  'provider_error',
  'rate_limited',
  'invalid_answer',
  'template_error',
  'code_error',
  'timeout',
  'budget_exhausted',
]);
export type ScoreFailureCode = z.infer<typeof failureCode>;

/** The states of a score that is missing: those of the filter `outcome`, and one of their own. */
export const missingScoreState = z.enum([
  'pending',
  'awaited',
  'failed',
  'stopped',
  'errored',
  'notApplicable',
]);

export const exampleMissingScore = {
  metricConfigId: exampleIds.metricVersion,
  state: 'failed',
  code: 'code_error',
  message: 'The pointer /response finds nothing in outputs.',
};

export const missingScore = z
  .object({
    metricConfigId: id(),
    state: missingScoreState.meta({
      description:
        '`pending` until the service has made the score, `awaited` until people or clients have given it, `failed` without a score for good, `stopped` where no judge is asked because the comparison was decided without it, `errored` where the system gave no answer to score, `notApplicable` where the metric version is not meant for the record.',
    }),
    code: failureCode.optional().meta({ description: 'Why it failed.' }),
    message: z.string().optional().meta({ description: 'The same in words.' }),
  })
  .meta({ id: 'MissingScore', examples: [exampleMissingScore] });
export type MissingScore = z.infer<typeof missingScore>;

export const scoreFailure = z
  .object({
    recordId: id(),
    metricVersionId: id(),
    code: failureCode.meta({ description: 'Why it failed.' }),
    message: z.string().meta({ description: 'The same in words.' }),
    attempts: z
      .int()
      .meta({ description: 'Calls of the model, with those that repaired its answer.' }),
    at: timestamp().meta({ description: 'When it failed for good.' }),
  })
  .meta({
    id: 'ScoreFailure',
    examples: [
      {
        recordId: exampleIds.record,
        metricVersionId: exampleIds.metricVersion,
        code: 'code_error',
        message: 'The pointer /response finds nothing in outputs.',
        attempts: 1,
        at: exampleInstant,
      },
    ],
  });

/** The outcome of a judgement: a score, or a permanent failure. */
export const judgementOutcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('score'),
    value: z.union([z.boolean(), z.number()]),
    reasoning: z.string(),
    source: z.enum(['ai', 'heuristic']),
    provenance,
    /** The value of each vote, where a judge was asked. */
    votes: z.array(z.union([z.boolean(), z.number()])).optional(),
  }),
  z.object({
    kind: z.literal('notApplicable'),
    reasoning: z.string().max(16_384),
    source: z.enum(['ai', 'heuristic']),
    provenance,
  }),
  z.object({
    kind: z.literal('failure'),
    code: failureCode,
    message: z.string().max(2000),
    attempts: z.int(),
    /** The cost of the attempts, although they failed. */
    costUsd: z.number().optional(),
  }),
]);

export const judgement = z.object({
  recordId: z.string(),
  metricVersionId: z.string(),
  outcome: judgementOutcome,
  /** On values of the record that were rounded for it: they join the record's own notes. */
  notes: recordNotes().optional(),
});
export type Judgement = z.infer<typeof judgement>;
