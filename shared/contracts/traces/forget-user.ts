import { z } from 'zod';
import { question } from '../define.ts';
import { count, text } from '../fields.ts';

/** The traces of a user whose spans name this id (`user.id`). */
export const tracedUser = z.object({ userId: text(1024, 1) });

export const erasedTraces = z.object({
  places: z.array(z.object({ place: z.string(), erased: count(), left: count() })),
  isDone: z.boolean(),
});

export const forgetUserQuestion = question({
  summary:
    "Erase some traces of a user of the organization's systems, and say whether that were all; asked by identity for the operator",
  payload: tracedUser,
  reply: erasedTraces,
  timeoutMs: 30_000,
});
