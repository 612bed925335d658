import { z } from 'zod';
import { opinion, opinionFacts } from '../annotation-fields.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { count, id, jsonPointer, reference, text, timestamp } from '../fields.ts';
import { payload } from '../payload.ts';
import { previewFields } from '../preview.ts';
import { givenScoresMax, scoreOfRecord } from './given-scores.ts';
import { exampleMissingScore, exampleScore, missingScore, score } from './score.ts';
import { recordNotes, systemAttempts, systemError } from './system-error.ts';
import { recordMetadata, recordMetrics } from './system-metrics.ts';

/** The payloads of a record, as the text that was sent. */
export const payloads = {
  inputs: payload('What the system was given.'),
  expected: payload('What it should have answered.'),
  outputs: payload('What it did answer.'),
};

/** The system under test while it made the record. */
const systemFields = {
  error: systemError.optional().meta({
    description:
      'Why the system gave no answer. Nobody is asked to score the record: it counts as the worst that its metrics can say.',
  }),
  systemAttempts: systemAttempts().optional().meta({
    description: 'Calls of the system for this record; left out for one.',
  }),
  notes: recordNotes().optional(),
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
  .object({
    id: id(),
    runId: id(),
    testcaseId: id().optional(),
    sessionId: z
      .string()
      .optional()
      .meta({ description: 'The session whose attachments belong to the record.' }),
    otelLinkId: z.string().optional().meta({
      description:
        'What links it to a trace: the id of the trace, or a link id that its spans name.',
    }),
    clientId: z
      .string()
      .optional()
      .meta({ description: "The client's own id: what a client that goes on finds stored." }),
    ...payloads,
    ...systemFields,
    metrics: recordMetrics.optional(),
    metadata: recordMetadata().optional(),
  })
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
    traceIds: z.array(z.string()).optional().meta({
      description:
        'The traces that carry its `otelLinkId`, or have it as their id, the newest first; only where a single record is read.',
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

/** The fields of a new record. */
export const recordFields = {
  ...payloads,
  outputs: payloads.outputs
    .optional()
    .meta({ description: 'What it did answer. Only a record with an `error` may leave it out.' }),
  error: systemFields.error.nullish(),
  systemAttempts: systemFields.systemAttempts,
  notes: systemFields.notes,
  testcaseId: reference()
    .nullish()
    .meta({ description: 'The testcase that the system was given.' }),
  otelLinkId: text(512, 1)
    .nullish()
    .meta({ description: 'A span; the same one in the same run gives the record that is there.' }),
  sessionId: text(256, 1)
    .nullish()
    .meta({ description: 'The session whose attachments belong to the record.' }),
  clientId: text(255, 1).nullish().meta({
    description:
      "The client's own id of the record; the same one in the same run gives the record that is there.",
  }),
  tags: z
    .array(tagText())
    .max(50)
    .optional()
    .meta({ description: 'Words by which records are found.' }),
  metrics: recordMetrics.nullish(),
  metadata: recordMetadata().optional(),
  scores: z.array(scoreOfRecord).max(givenScoresMax).optional().meta({
    description:
      'Scores that the client made, by the rules of a PUT. They are stored with the record: it is not awaited for them at any moment.',
  }),
};

export const recordBody = z
  .object(recordFields)
  .refine(({ outputs, error }) => outputs !== undefined || error != null, {
    path: ['outputs'],
    error: 'must be there, unless the record has an error',
  });

export const recordTag = z
  .object({
    id: id(),
    recordId: id(),
    text: tagText().meta({ description: 'The tag.' }),
    source: z.enum(['user', 'otel']).meta({ description: 'Whether a member gave it, or a trace.' }),
    userId: z.string().nullable().meta({ description: 'The member who gave it.' }),
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
    assigneeUserId: z.string().meta({ description: 'The member who is to look at it.' }),
    assignedByUserId: z.string().meta({ description: 'The member who asked for that.' }),
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

/** Characters of a passage's text that its annotation keeps. */
const passageCharactersMax = 1000;

export const examplePassage = {
  payload: 'outputs' as const,
  pointer: '/response',
  start: 0,
  end: 9,
  text: 'Could you',
};

/** The part of a payload that an annotation is about. */
export const passage = z
  .object({
    payload: z.enum(['inputs', 'expected', 'outputs']).meta({ description: 'Where it is.' }),
    pointer: jsonPointer('/answer').meta({
      description: 'A string of the payload, such as `/messages/2/content`.',
    }),
    start: count().meta({ description: 'Characters of the string before the passage.' }),
    end: count().meta({ description: 'Characters of the string up to the end of the passage.' }),
    text: text(passageCharactersMax, 1).meta({
      description: `The passage itself, or its first ${passageCharactersMax} characters.`,
    }),
  })
  .refine(({ start, end }) => end > start, {
    path: ['end'],
    error: 'must be greater than start',
  })
  .refine(
    ({ start, end, text }) =>
      end <= start || [...text].length === Math.min(end - start, passageCharactersMax),
    {
      path: ['text'],
      error: `must have as many characters as the passage, and of a longer one the first ${passageCharactersMax}`,
    },
  )
  .meta({
    id: 'Passage',
    description:
      'Part of a string in a payload. Offsets count characters of the value, not of its JSON text: code points of Unicode, so that an emoji counts once. The service does not look into the payload; `text` shows what was meant where the offsets do not fit.',
    examples: [examplePassage],
  });
export type Passage = z.infer<typeof passage>;

export const annotation = z
  .object({
    id: id(),
    recordId: id(),
    spanId: z
      .string()
      .nullable()
      .meta({ description: 'The span that it is about, if it is about one.' }),
    ...opinion,
    passage: passage
      .nullable()
      .meta({ description: 'The part of a payload that it is about, if it is about one.' }),
    comparedRecordId: z.string().nullable().meta({
      description:
        'The record of the same testcase in another run with which it was compared, where it is about the pair.',
    }),
    ...opinionFacts,
    userId: z.string().meta({ description: 'The member who wrote it.' }),
    createdAt: timestamp(),
  })
  .meta({
    id: 'Annotation',
    examples: [
      {
        id: exampleIds.recordAnnotation,
        recordId: exampleIds.record,
        spanId: null,
        rating: false,
        comment: 'Too short',
        passage: examplePassage,
        comparedRecordId: null,
        mentions: [],
        editedAt: null,
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });
