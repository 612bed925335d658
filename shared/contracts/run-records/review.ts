import { z } from 'zod';
import { list, operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { count, id, reference, timestamp } from '../fields.ts';
import { outputType, statedMembers } from '../metrics.ts';
import { previewFields, previewQuery } from '../preview.ts';
import { exampleRecord, record } from './record.ts';

const reviewMetric = z.object({
  id: id(),
  metricVersionId: id(),
  name: z.string(),
  outputType,
  ...statedMembers,
  guidelines: z.string().meta({ description: 'What members score by.' }),
  annotators: z.int().meta({ description: 'How many members score each record.' }),
});

const reviewItem = z
  .object({
    record: record.extend({ fields: previewFields }).meta({ description: 'What is to be scored.' }),
    metric: reviewMetric.meta({ description: 'By what it is scored.' }),
    assigneeUserIds: z
      .array(z.string())
      .meta({ description: 'The members who are to score it; any may where it is empty.' }),
    given: count().meta({ description: 'Scores that members have given it already.' }),
  })
  .meta({
    id: 'ReviewItem',
    description:
      'A score that a person has to give. The record comes without its scores, so that nobody is led by what others, or a judge, said.',
  });

/** The most records that one member holds at once. */
export const reviewLeasesMax = 10;
/** What the progress of a review counts at most, where no account has the sum. */
export const reviewCountMax = { runs: 1000, records: 10_000, mine: 1000, scored: 50_000 };

const exampleReviewMetric = {
  id: exampleIds.metric,
  metricVersionId: exampleIds.metricVersion,
  name: 'Tone',
  outputType: 'int',
  guidelines: 'Is it kind?',
  annotators: 1,
};

const reviewLease = z
  .object({
    item: reviewItem.nullable().meta({ description: 'null when nothing is left for the caller.' }),
    metrics: z.array(reviewMetric).meta({
      description:
        "All metrics that the caller is asked for on this record, the item's first: the lease is for all of them.",
    }),
    leaseUntil: timestamp()
      .nullable()
      .meta({ description: 'Until when nobody else gets it; null without an item.' }),
  })
  .meta({ id: 'ReviewLease' });

const reviewProgress = z
  .object({
    missing: count().meta({
      description: `Items that are left in all. Exact in runs whose other metrics the service scores; elsewhere up to ${reviewCountMax.records} records are counted.`,
    }),
    mine: count().meta({
      description: `Those that are assigned to the caller or to nobody, and that the caller has not scored; up to ${reviewCountMax.mine} records are counted.`,
    }),
    given: count().meta({
      description: `Scores that members have given; up to ${reviewCountMax.scored} records are counted.`,
    }),
    byMember: z
      .array(
        z.object({
          userId: z.string(),
          given: count().meta({ description: 'Scores that this member has given.' }),
        }),
      )
      .meta({
        description: 'The same by member, the one with the most first.',
      }),
  })
  .meta({
    id: 'ReviewProgress',
    description: `How far a review is. Of a project, its ${reviewCountMax.runs} newest runs with human metrics count.`,
  });

export const reviewOperations = {
  listReviewQueue: list({
    path: '/review-queue',
    expensive: true,
    summary:
      'Missing scores of human metrics, oldest first: those the caller may give, or those assigned to a member',
    query: z.object({
      projectId: reference().optional().meta({ description: 'Only runs of this project.' }),
      runId: reference().optional().meta({ description: 'Only this run.' }),
      metricId: reference().optional().meta({ description: 'Only scores of this metric.' }),
      assigneeUserId: reference().optional().meta({
        description: 'What is assigned to this member, in place of what the caller may give.',
      }),
      ...previewQuery,
    }),
    item: reviewItem,
  }),
  takeReviewItem: operation({
    method: 'POST',
    path: '/review-queue/next',
    expensive: true,
    summary:
      'Take the next record to score, or prolong its lease: nobody else gets its scores to give meanwhile',
    query: z.object(previewQuery),
    body: z
      .object({
        projectId: reference(),
        runId: reference().optional(),
        metricId: reference().optional(),
        after: reference()
          .optional()
          .meta({ description: 'A record: the item is of one that comes after it.' }),
        renew: reference()
          .optional()
          .meta({ description: 'A record that the caller holds: its lease is prolonged.' }),
      })
      .refine(({ after, renew }) => after === undefined || renew === undefined, {
        path: ['after'],
        message: 'must not be sent with `renew`',
      }),
    reply: reviewLease,
    status: 200,
    failures: ['CONFLICT'],
    example: {
      body: { projectId: exampleIds.project, runId: exampleIds.run },
      reply: {
        item: {
          record: exampleRecord,
          metric: exampleReviewMetric,
          assigneeUserIds: [],
          given: 0,
        },
        metrics: [exampleReviewMetric],
        leaseUntil: exampleInstant,
      },
    },
  }),
  getReviewProgress: operation({
    method: 'GET',
    path: '/review-queue/progress',
    expensive: true,
    summary: 'How many scores people have given, and how many are missing',
    query: z.object({
      projectId: reference().optional().meta({ description: 'The project to look at.' }),
      runId: reference().optional().meta({ description: 'The run to look at.' }),
    }),
    reply: reviewProgress,
    status: 200,
    example: {
      reply: {
        missing: 140,
        mine: 49,
        given: 31,
        byMember: [{ userId: exampleIds.user, given: 31 }],
      },
    },
  }),
};
