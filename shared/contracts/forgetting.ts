import { z } from 'zod';
import { question } from './define.ts';
import { count, text } from './fields.ts';

/** Whose traces are meant: a user whose spans name this id (`user.id`), or a session (`session.id`). */
export const tracedUser = z.object({ userId: text(1024, 1) });
export const namedSession = z.object({ sessionId: text(1024, 1) });

/** Some of what is to be erased is gone: how much of each place, and how much is left in it. */
export const erasedSome = z.object({
  places: z.array(z.object({ place: z.string(), erased: count(), left: count() })),
  isDone: z.boolean(),
});

export const forgetTracesQuestion = question({
  summary:
    "Erase some traces of a user of the organization's systems, or of a session, and say whether that were all; asked by identity for the operator",
  payload: z.union([tracedUser, namedSession]),
  reply: erasedSome,
  timeoutMs: 30_000,
});

export const forgetAttachmentsQuestion = question({
  summary:
    'Erase some attachments of a session, and say whether that were all; asked by identity for the operator',
  payload: namedSession,
  reply: erasedSome,
  timeoutMs: 30_000,
});
