import { z } from 'zod';
import { runRetentionDays } from '../catalog.ts';
import { operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { conflict, type Failure } from '../failure.ts';
import { count, id, name, timestamp } from '../fields.ts';

/** The runs that a dry run names. */
export const expiringRunsMax = 20;

/** Why a run that is old enough stays whole, in the order in which they are looked for. */
export const keptReasons = [
  'running',
  'baseline',
  'labelled',
  'commented',
  'annotated',
  'linked',
] as const;
export type KeptReason = (typeof keptReasons)[number];

const keptCount = (description: string) => count().meta({ description });

const runRetention = z
  .object({
    days: runRetentionDays,
    runs: count().meta({ description: 'Runs that would expire now.' }),
    records: count().meta({ description: 'Records of these runs, which would be deleted.' }),
    kept: z
      .object({
        running: keptCount('Scores are still to be made, or a comparison to be decided.'),
        baseline: keptCount('The baseline of a testset, or of a run that is being judged.'),
        labelled: keptCount(
          'People have scored a record, put a tag on it, or it was drawn for them.',
        ),
        commented: keptCount('An annotation of a record has a comment.'),
        annotated: keptCount('A record has an annotation, none with a comment.'),
        linked: keptCount(
          'A record names a trace by its `otelLinkId`, but for the runs of monitors.',
        ),
      } satisfies Record<KeptReason, z.ZodType>)
      .meta({
        description:
          'Runs that are old enough and stay whole, each under the first of these reasons that it has.',
      }),
    first: z
      .array(z.object({ id: id(), name: name().optional(), createdAt: timestamp() }))
      .max(expiringRunsMax)
      .meta({ description: 'The oldest runs that would expire.' }),
    hasMore: z.boolean().meta({
      description:
        'Whether more runs are old enough than one request can look at: all counts are then of the oldest ones.',
    }),
  })
  .meta({ id: 'RunRetention', description: 'What a retention of runs would do now.' });
export type RunRetention = z.infer<typeof runRetention>;

export const runRetentionOperations = {
  previewRunRetention: operation({
    method: 'GET',
    path: '/projects/:projectId/run-retention',
    expensive: true,
    summary: 'Which runs of a project would expire now, and which would stay; changes nothing',
    description:
      'A run expires `days` after its last change. Nothing expires at once: a run that is due waits for five minutes, and whatever uses it meanwhile keeps it.',
    query: z.object({
      days: z
        .string()
        .regex(/^\d+$/, 'must be a whole number')
        .transform(Number)
        .pipe(runRetentionDays)
        .meta({
          description: 'As `runRetentionDays` of the project would be.',
          override: { type: 'integer', minimum: 1, maximum: 36_500 },
        }),
    }),
    reply: runRetention,
    status: 200,
    example: {
      query: { days: '90' },
      reply: {
        days: 90,
        runs: 1,
        records: 200,
        kept: { running: 0, baseline: 1, labelled: 2, commented: 0, annotated: 0, linked: 0 },
        first: [{ id: exampleIds.run, name: 'Prompt 14', createdAt: exampleInstant }],
        hasMore: false,
      },
    },
  }),
};

/** The failure of a request that needs the records of a run that has expired. */
export const runExpired = (expiredAt: string): Failure =>
  conflict(
    `The run expired on ${expiredAt.slice(0, 10)}: its records are gone, its summary remains.`,
  );
