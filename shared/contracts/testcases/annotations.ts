import { z } from 'zod';
import { opinion, opinionBody, opinionFacts } from '../annotation-fields.ts';
import { operation } from '../define.ts';
import { exampleIds, exampleInstant } from '../examples.ts';
import { id, success, timestamp } from '../fields.ts';

/** Annotations that a testcase has at most. */
export const testcaseAnnotationsMax = 100;

export const testcaseAnnotation = z
  .object({
    id: id(),
    testcaseId: id(),
    ...opinion,
    ...opinionFacts,
    userId: z.string().meta({ description: 'The member who wrote it.' }),
    createdAt: timestamp(),
  })
  .meta({
    id: 'TestcaseAnnotation',
    description: 'What a person says of a testcase.',
    examples: [
      {
        id: exampleIds.testcaseAnnotation,
        testcaseId: exampleIds.testcase,
        rating: null,
        comment: 'Two answers are right here.',
        mentions: [],
        editedAt: null,
        userId: exampleIds.user,
        createdAt: exampleInstant,
      },
    ],
  });
export type TestcaseAnnotation = z.infer<typeof testcaseAnnotation>;

/** The annotations of testcases. */
export const testcaseAnnotationOperations = {
  listTestcaseAnnotations: operation({
    method: 'GET',
    path: '/testcases/:testcaseId/annotations',
    summary: 'The annotations of a testcase, oldest first',
    reply: z.object({ data: z.array(testcaseAnnotation) }),
    status: 200,
  }),
  createTestcaseAnnotation: operation({
    method: 'POST',
    path: '/testcases/:testcaseId/annotations',
    summary: 'Annotate a testcase: a rating, a comment, or both',
    description: `A testcase has ${testcaseAnnotationsMax} annotations at most. They go with it.`,
    body: z.object(opinionBody),
    reply: testcaseAnnotation,
    status: 201,
    example: { body: { comment: 'Two answers are right here.' } },
  }),
  updateTestcaseAnnotation: operation({
    method: 'PATCH',
    path: '/testcases/:testcaseId/annotations/:testcaseAnnotationId',
    summary: 'Change the rating or the comment of an annotation of a testcase',
    description: 'Open to its author.',
    body: z.object(opinionBody),
    reply: testcaseAnnotation,
    status: 200,
    failures: ['FORBIDDEN'],
    example: { body: { comment: 'Both answers are right here.' } },
  }),
  deleteTestcaseAnnotation: operation({
    method: 'DELETE',
    path: '/testcases/:testcaseId/annotations/:testcaseAnnotationId',
    summary: 'Delete an annotation of a testcase',
    description: 'Open to its author and to admins.',
    reply: success,
    status: 200,
    failures: ['FORBIDDEN'],
  }),
};
