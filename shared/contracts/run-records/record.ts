import { z } from 'zod';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, reference, text, timestamp } from '../fields.ts';
import { payload } from '../payload.ts';
import { previewFields } from '../preview.ts';
import { exampleMissingScore, exampleScore, missingScore, score } from './score.ts';

/** The payloads of a record, as the text that was sent. */
export const payloads = {
  inputs: payload('What the system was given.'),
  expected: payload('What it should have answered.'),
  outputs: payload('What it did answer.'),
};

export const exampleRecord = {
  id: exampleIds.record,
  runId: exampleIds.run,
  testcaseId: exampleIds.testcase,
  inputs: { question: 'Where is my parcel?' },
  expected: { idealAnswer: 'Ask for the tracking number.' },
  outputs: { response: 'Could you tell me the tracking number?' },
};

export const record = z
  .object({ id: id(), runId: id(), testcaseId: id().optional(), ...payloads })
  .meta({
    id: 'Record',
    description: 'What a system did with one input.',
    examples: [exampleRecord],
  });

export const recordWithScores = record
  .extend({ scores: z.array(score) })
  .meta({ id: 'RecordWithScores', examples: [{ ...exampleRecord, scores: [exampleScore] }] });

/** A record as it is read: with the scores that it has, and the states of those that it has not. */
export const recordWithStates = recordWithScores
  .extend({
    missingScores: z.array(missingScore).meta({
      description:
        'The state of each score that has no value yet, or will have none, in the order of the metric versions of the run. One that waits for further annotators has scores all the same.',
    }),
    fields: previewFields,
  })
  .meta({
    id: 'RecordWithStates',
    examples: [{ ...exampleRecord, scores: [], missingScores: [exampleMissingScore] }],
  });

/** SPEC: 15 MB for record creation. */
export const recordBytesMax = 15 * 1024 * 1024;

export const tagText = () => text(256, 1);

export const recordBody = z.object({
  ...payloads,
  testcaseId: reference().nullish(),
  otelLinkId: text(512, 1)
    .nullish()
    .meta({ description: 'A span; the same one in the same run gives the record that is there.' }),
  sessionId: text(256, 1).nullish(),
  clientId: text(255, 1).nullish().meta({
    description:
      "The client's own id of the record; the same one in the same run gives the record that is there.",
  }),
  tags: z.array(tagText()).max(50).optional(),
});

export const recordTag = z
  .object({
    id: id(),
    recordId: id(),
    text: tagText(),
    source: z.enum(['user', 'otel']),
    userId: z.string().nullable(),
    createdAt: timestamp(),
  })
  .meta({
    id: 'RecordTag',
    examples: [
      {
        id: exampleIds.tag,
        recordId: exampleIds.record,
        text: 'regression',
        source: 'user',
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });

export const recordAssignment = z
  .object({
    id: id(),
    recordId: id(),
    assigneeUserId: z.string(),
    assignedByUserId: z.string(),
    createdAt: timestamp(),
  })
  .meta({
    id: 'RecordAssignment',
    examples: [
      {
        id: exampleIds.tag,
        recordId: exampleIds.record,
        assigneeUserId: exampleIds.user,
        assignedByUserId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });

export const annotation = z
  .object({
    id: id(),
    recordId: id(),
    spanId: z.string().nullable(),
    rating: z.boolean().nullable(),
    comment: z.string().nullable(),
    userId: z.string(),
    createdAt: timestamp(),
  })
  .meta({
    id: 'Annotation',
    examples: [
      {
        id: exampleIds.tag,
        recordId: exampleIds.record,
        spanId: null,
        rating: false,
        comment: 'Too short',
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });
