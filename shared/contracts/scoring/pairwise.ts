import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { count, id, reference, timestamp } from '../fields.ts';
import { interval, verdict } from '../results/inference.ts';
import { failureCode } from '../run-records/score.ts';

/** Pairs of records that one comparison may have judged. */
export const pairJudgementsMax = 10_000;
/** Runs that one comparison may have. */
export const comparedRunsMax = 8;
/** Votes on one question about a pair. */
export const pairVotesMax = 9;
/** Pairs in one job. A process holds their records while it asks the judge. */
export const jobPairsMax = 25;

const budgetUsd = z.number().min(0).max(1_000_000).meta({ description: 'In US dollars.' });

const comparedRuns = {
  metricId: reference().meta({ description: 'An ai metric whose subject is `pair`.' }),
  runIds: z.array(reference()).min(2).max(comparedRunsMax).meta({
    description: 'Runs of one project and testset; all pairs of them are judged.',
  }),
  testcases: z.int().min(1).max(pairJudgementsMax).optional().meta({
    description:
      'How many testcases are drawn at random of those that all runs have a record of; all of them when left out.',
  }),
};

export const pairwiseBody = z.object({
  ...comparedRuns,
  budgetUsd: budgetUsd
    .optional()
    .meta({ description: 'Past it, the judge is not asked any more.' }),
});
export type PairwiseBody = z.output<typeof pairwiseBody>;

export const pairwiseEstimateBody = z.object(comparedRuns);

export const pairwiseRetryBody = z
  .object({ budgetUsd: budgetUsd.nullable().optional() })
  .optional()
  .meta({ description: 'A budget in place of the former one; null for none.' });

/** A share of several, with its interval. */
const share = z.object({
  count: count().meta({ description: 'How many it is.' }),
  of: count().meta({ description: 'Of how many.' }),
  share: z.number().meta({ description: '`count / of`.' }),
  confidenceInterval: interval,
});

const account = z
  .object({
    expected: count().meta({ description: 'All pairs.' }),
    judged: count().meta({ description: 'Pairs with an outcome.' }),
    failed: count().meta({ description: 'Pairs without an outcome for good.' }),
    pending: count().meta({ description: 'Pairs that are still to be judged.' }),
  })
  .meta({
    id: 'PairwiseAccount',
    description: 'Pairs of records: `expected = judged + failed + pending` at every read.',
  });
export type PairwiseAccount = z.infer<typeof account>;

const pairResult = z
  .object({
    baselineRunId: id(),
    candidateRunId: id(),
    wins: count().meta({ description: 'Testcases in which the candidate is better.' }),
    losses: count().meta({ description: 'Testcases in which the baseline is better.' }),
    ties: count().meta({
      description: 'Where the judge said so, or contradicted itself when the order was swapped.',
    }),
    failed: count().meta({ description: 'Testcases that the judge gave no usable answer about.' }),
    difference: z
      .number()
      .nullable()
      .meta({ description: '(wins − losses) / judged; null without any.' }),
    confidenceInterval: interval.nullable(),
    pValue: z.number().nullable().meta({
      description: 'Of the mid-p sign test over wins and losses; null where there are none.',
    }),
    adjustedPValue: z
      .number()
      .nullable()
      .meta({ description: "Holm's correction over the pairs of runs." }),
    verdict: verdict.meta({ description: 'What the candidate is.' }),
  })
  .meta({ id: 'PairwiseResult' });

const ranked = z
  .object({
    runId: id(),
    strength: z.number().meta({
      description:
        'Of the Bradley–Terry model, as a logarithm; the strengths of all runs add up to 0.',
    }),
    confidenceInterval: interval,
    winShare: z
      .number()
      .nullable()
      .meta({ description: 'The share of its judged pairs that it won, a tie counted by half.' }),
    rank: z
      .object({
        from: count().meta({ description: 'The best of them.' }),
        to: count().meta({ description: 'The last of them.' }),
      })
      .meta({
        description:
          'The places that it may have, from 1. Two runs are in order where their intervals do not overlap and their pair has a verdict.',
      }),
  })
  .meta({ id: 'PairwiseRank' });

const results = z
  .object({
    level: z.number().meta({ description: 'The confidence of the intervals and of the verdicts.' }),
    pairs: z.array(pairResult).meta({ description: 'Each pair of runs.' }),
    leaderboard: z
      .array(ranked)
      .nullable()
      .meta({ description: 'Of three and more runs, the strongest first.' }),
    consistency: share.nullable().meta({
      description:
        'The share of the pairs that a judge was asked about in which both orders gave the same answer.',
    }),
    firstSlotPreference: share.nullable().meta({
      description:
        'Of the contradictions, the share in which the judge leaned to the answer that it was shown first: about half of a judge to whom the order means nothing; null without contradictions.',
    }),
  })
  .meta({ id: 'PairwiseResults' });
export type PairwiseResults = z.infer<typeof results>;

const warning = z
  .object({
    code: z
      .enum(['testcases_differ', 'unknown_price'])
      .meta({ description: 'Which warning it is.' }),
    message: z.string().meta({ description: 'A sentence for people.' }),
    details: z.record(z.string(), z.number()).meta({ description: 'The figures of the sentence.' }),
  })
  .meta({ id: 'PairwiseWarning' });
export type PairwiseWarning = z.infer<typeof warning>;

export const pairwiseComparison = z
  .object({
    id: id(),
    metricId: id(),
    metricVersionId: id(),
    runIds: z.array(id()).meta({ description: 'The runs that are compared, each with each.' }),
    testcases: count().meta({ description: 'Testcases of which pairs are judged.' }),
    createdAt: timestamp(),
    createdByUserId: id(),
    account,
    costUsd: z.number().meta({ description: 'What the judge cost so far, in US dollars.' }),
    budgetUsd: z
      .number()
      .nullable()
      .meta({ description: 'Past it, the judge is not asked any more.' }),
    results: results.nullable().meta({
      description: 'null while anything is pending, and where nothing could be judged.',
    }),
    warnings: z.array(warning).optional(),
  })
  .meta({
    id: 'PairwiseComparison',
    description: 'What a judge says of the records of several runs, pair by pair.',
    examples: [
      {
        id: exampleIds.pairwiseComparison,
        metricId: exampleIds.judgeOfPairs,
        metricVersionId: exampleIds.metricVersion,
        runIds: [exampleIds.run, exampleIds.otherRun],
        testcases: 100,
        createdAt: exampleInstant,
        createdByUserId: exampleIds.user,
        account: { expected: 100, judged: 40, failed: 0, pending: 60 },
        costUsd: 0.12,
        budgetUsd: null,
        results: null,
      },
    ],
  });
export type PairwiseComparison = z.infer<typeof pairwiseComparison>;

/** The same without results, which a list would compute one after the other. */
export const listedPairwiseComparison = pairwiseComparison
  .omit({ results: true })
  .meta({ id: 'ListedPairwiseComparison' });

export const pairwiseEstimate = z
  .object({
    testcases: count().meta({ description: 'Testcases that would be judged.' }),
    runPairs: count().meta({ description: 'Pairs of runs.' }),
    pairs: count().meta({ description: 'Testcases × pairs of runs.' }),
    questions: count().meta({
      description: 'Two for each pair, times the votes of the metric.',
    }),
    costUsd: z.number().nullable().meta({
      description:
        "What they will cost about: as much as this metric's earlier ones, or else by the length of some prompts; null where the price of the model is not known.",
    }),
    warnings: z.array(warning).optional(),
  })
  .meta({ id: 'PairwiseEstimate' });
export type PairwiseEstimate = z.infer<typeof pairwiseEstimate>;

export const preference = z.enum(['first', 'second', 'tie']);

const answer = z.object({
  firstRunId: id().meta({ description: 'The run whose outputs the judge was shown first.' }),
  preferred: preference
    .nullable()
    .meta({ description: 'Which of the two was better; null without an answer.' }),
  preferredRunId: id().nullable().meta({ description: 'null for a tie, and without an answer.' }),
  reasoning: z.string().nullable().meta({ description: 'The reason that the judge gave.' }),
  votes: z
    .array(preference)
    .optional()
    .meta({ description: 'What each vote was, where there were several.' }),
  costUsd: z.number().meta({ description: 'In US dollars.' }),
  failure: z
    .object({ code: failureCode.meta({ description: 'Which fault it was.' }), message: z.string() })
    .optional()
    .meta({ description: 'Why there is no answer.' }),
});

export const pairOutcome = z.enum(['candidate', 'baseline', 'tie', 'contradiction', 'failed']);
export type PairOutcome = z.infer<typeof pairOutcome>;

export const pairJudgement = z
  .object({
    id: id(),
    testcaseId: id(),
    baselineRunId: id(),
    candidateRunId: id(),
    baselineRecordId: id(),
    candidateRecordId: id(),
    outcome: pairOutcome
      .nullable()
      .meta({ description: 'null while it is pending. A contradiction counts as a tie.' }),
    answers: z.array(answer).meta({ description: 'What was answered so far, in both orders.' }),
  })
  .meta({ id: 'PairJudgement' });
export type PairJudgement = z.infer<typeof pairJudgement>;
