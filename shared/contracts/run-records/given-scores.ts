import { z } from 'zod';
import { reference } from '../fields.ts';
import { payload } from '../payload.ts';
import { scoreBytesMax } from './score.ts';

/** Scores that a record can bring with it. */
export const givenScoresMax = 100;

/** The score that a client gives. */
export const givenScore = () =>
  payload(
    `The score: free JSON of at most ${scoreBytesMax} bytes; the scores of a record may have 1 MiB together.`,
    { bytesMax: scoreBytesMax },
  );

/** The metric that a score is of: by its version, or by its id for its newest version in the run. */
const target = {
  metricConfigId: reference().optional().meta({ description: 'A metric version.' }),
  metricId: reference().optional().meta({
    description: 'A metric of the run, in place of `metricConfigId`: its newest version there.',
  }),
};

const hasOneTarget = ({ metricConfigId, metricId }: z.infer<z.ZodObject<typeof target>>) =>
  (metricConfigId === undefined) !== (metricId === undefined);
const isNoTarget = { error: 'must have either metricConfigId or metricId' };

/** A score that comes with its record. */
export const scoreOfRecord = z
  .object({
    ...target,
    recordId: reference().optional().meta({
      description:
        'Of an exported record: a score that names a record is of that record, and is passed over.',
    }),
    score: givenScore(),
  })
  .refine(hasOneTarget, isNoTarget);
export type ScoreOfRecord = z.output<typeof scoreOfRecord>;

/** A line of the bulk operation for scores: the body of a PUT, with its record and metric. */
export const scoreLine = z
  .object({
    recordId: reference(),
    ...target,
    score: givenScore().optional(),
    userId: reference().optional(),
  })
  .refine(hasOneTarget, isNoTarget);
export type ScoreLine = z.output<typeof scoreLine>;
