import { z } from 'zod';
import { list, operation } from '../define.ts';
import { exampleIds } from '../examples.ts';
import { count, reference, success } from '../fields.ts';
import {
  listedPairwiseComparison,
  pairJudgement,
  pairOutcome,
  pairwiseBody,
  pairwiseComparison,
  pairwiseEstimate,
  pairwiseEstimateBody,
  pairwiseRetryBody,
} from './pairwise.ts';

const example = {
  metricId: exampleIds.judgeOfPairs,
  runIds: [exampleIds.run, exampleIds.otherRun],
};

export const pairwiseOperations = {
  createPairwiseComparison: operation({
    method: 'POST',
    path: '/pairwise-comparisons',
    expensive: true,
    summary: 'Have a judge compare runs, pair by pair and in both orders',
    description:
      'The latest record of each testcase counts. The judge is asked twice about each pair, and not told which run is which; what it says in one order and not in the other is a tie.',
    takesLong: true,
    body: pairwiseBody,
    reply: pairwiseComparison,
    status: 201,
    example: { body: { ...example, testcases: 100, budgetUsd: 5 } },
  }),
  estimatePairwiseComparison: operation({
    method: 'POST',
    path: '/pairwise-comparisons/estimate',
    expensive: true,
    summary: 'How many questions a pairwise comparison would ask, and what it would cost',
    takesLong: true,
    body: pairwiseEstimateBody,
    reply: pairwiseEstimate,
    status: 200,
    example: { body: example },
  }),
  listPairwiseComparisons: list({
    path: '/projects/:projectId/pairwise-comparisons',
    summary: 'List the pairwise comparisons of a project without their results, newest first',
    query: z.object({
      runId: reference().optional().meta({ description: 'Those that this run is part of.' }),
    }),
    item: listedPairwiseComparison,
  }),
  getPairwiseComparison: operation({
    method: 'GET',
    path: '/pairwise-comparisons/:pairwiseComparisonId',
    summary: 'Get a pairwise comparison with its account, and its results once nothing is pending',
    reply: pairwiseComparison,
    status: 200,
  }),
  listPairJudgements: list({
    path: '/pairwise-comparisons/:pairwiseComparisonId/judgements',
    summary: 'List the pairs of a pairwise comparison with what the judge said in both orders',
    query: z.object({
      baselineRunId: reference().optional().meta({ description: 'Only pairs with this baseline.' }),
      candidateRunId: reference()
        .optional()
        .meta({ description: 'Only pairs with this candidate.' }),
      outcome: pairOutcome.optional().meta({ description: 'Only pairs of this outcome.' }),
    }),
    item: pairJudgement,
  }),
  retryPairwiseComparison: operation({
    method: 'POST',
    path: '/pairwise-comparisons/:pairwiseComparisonId/retry',
    expensive: true,
    summary: 'Ask the judge again where it failed',
    body: pairwiseRetryBody,
    reply: z.object({ queued: count().meta({ description: 'Pairs that are pending again.' }) }),
    status: 200,
    example: { body: { budgetUsd: 10 } },
  }),
  deletePairwiseComparison: operation({
    method: 'DELETE',
    path: '/pairwise-comparisons/:pairwiseComparisonId',
    summary: 'Delete a pairwise comparison',
    reply: success,
    status: 200,
  }),
};
