import { z } from 'zod';
import { count, id, text, timestamp } from '../fields.ts';
import { failureCode } from '../run-records/score.ts';
import { comparedRunsMax, pairVotesMax, preference } from '../scoring/pairwise.ts';

/** A comparison of runs by a judge. Its counts and results follow from its judgements. */
export const pairwiseComparisonLine = z.object({
  kind: z.literal('pairwiseComparison'),
  id: id(),
  metricId: id(),
  metricVersionId: id(),
  model: text(256),
  hasPrice: z.boolean(),
  runIds: z.array(id()).min(2).max(comparedRunsMax),
  testcases: count(),
  /** Testcases whose records are of different inputs or another expected. */
  differing: count(),
  createdAt: timestamp(),
  createdByUserId: id(),
  budgetNanoUsd: count().nullable(),
  /** The costs of its judge so far, in billionths of a US dollar. */
  costNanoUsd: count(),
});

const answer = z.object({
  /** null where there is none. */
  preferred: preference.nullable(),
  reasoning: z.string().nullable(),
  votes: z.array(preference).max(pairVotesMax),
  nanoUsd: count(),
  failure: z.object({ code: failureCode, message: text(4000) }).nullable(),
});

/** A pair of records. Follows its comparison, or another pair of it. */
export const pairJudgementLine = z.object({
  kind: z.literal('pairJudgement'),
  id: id(),
  comparisonId: id(),
  testcaseId: id(),
  baselineRunId: id(),
  candidateRunId: id(),
  baselineRecordId: id(),
  candidateRecordId: id(),
  /** The answer to the question that shows the baseline's outputs first; null while it is open. */
  forward: answer.nullable(),
  /** The same for the candidate's outputs first. */
  backward: answer.nullable(),
});
