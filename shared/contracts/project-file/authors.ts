import { z } from 'zod';
import { question } from '../define.ts';

/**
 * Where the lines of a project's file name authors: the people who gave, wrote or made something.
 * `tags.userId` is the `userId` of each item of `tags`. The documents of the services have the same
 * names. An import gives all of these to people of the organization, and a person who is mapped to
 * a member gives up all of them. Whose task something is (`assigneeUserId`) is no authorship.
 */
export const authorFields = {
  testcaseAnnotation: ['userId'],
  metricVersion: ['createdByUserId'],
  monitor: ['createdByUserId'],
  run: ['createdByUserId'],
  record: ['tags.userId', 'assignees.assignedByUserId', 'scores.userId', 'scores.recordedByUserId'],
  annotation: ['userId'],
  pairwiseComparison: ['createdByUserId'],
} as const;

/** Two people of whom one takes over the other's work in a project. */
export interface AuthorMove {
  projectId: string;
  from: string;
  to: string;
}

/** How a service gives an imported person's work to a member: for identity, which goes on until all is done. */
export const moveAuthorQuestion = question({
  summary:
    'Give some of what an imported person made in a project to a member, from `after` on; `next` is where to go on, or null when all is done; a repeat changes nothing; asked by identity',
  payload: z.object({
    projectId: z.string(),
    from: z.string(),
    to: z.string(),
    after: z.string().nullable(),
  }),
  reply: z.object({ next: z.string().nullable() }),
  timeoutMs: 15_000,
});
