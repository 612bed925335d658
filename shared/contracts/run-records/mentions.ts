import { z } from 'zod';
import { list, question } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, timestamp } from '../fields.ts';

/** A comment that mentions somebody, with the ids of the thing that it is about. */
export const mention = z
  .object({
    id: id().meta({ description: 'The id of the annotation.' }),
    about: z.enum(['record', 'pair', 'testcase', 'trace']).meta({
      description:
        'What the comment is about. Of a pair, `recordId` is the record that was compared with `comparedRecordId`.',
    }),
    recordId: z.string().optional(),
    comparedRecordId: z.string().optional(),
    testcaseId: z.string().optional(),
    testsetId: z.string().optional(),
    traceId: z.string().optional(),
    spanId: z.string().optional(),
    comment: z.string().meta({ description: 'The whole of it, as it is written.' }),
    userId: z.string().meta({ description: 'The member who wrote it.' }),
    createdAt: timestamp(),
  })
  .meta({
    id: 'Mention',
    description: 'A comment that mentions the caller.',
    examples: [
      {
        id: exampleIds.recordAnnotation,
        about: 'record',
        recordId: exampleIds.record,
        comment: `<@${exampleIds.user}> is this right?`,
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });

export type Mention = z.infer<typeof mention>;

/** The comments that mention a person in a project. */
export const mentionOperations = {
  listMentions: list({
    path: '/projects/:projectId/mentions',
    summary: 'List the comments that mention the caller, newest first',
    description:
      'Comments of records, pairs, testcases and traces of the project. What an import brought mentions nobody.',
    item: mention,
  }),
};

/** How the services whose things have annotations tell of those that mention somebody. */
export const mentionsQuestion = question({
  summary: 'The annotations that mention a person in a project, newest first; asked by run-records',
  payload: z.object({
    projectId: z.string(),
    userId: z.string(),
    limit: z.number(),
    after: z.string().nullable(),
  }),
  reply: z.object({ mentions: z.array(mention) }),
});
