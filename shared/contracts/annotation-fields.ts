import { z } from 'zod';
import { text, timestamp } from './fields.ts';
import { mentionsMax } from './mentions.ts';

const rating = { description: 'True is good, false is bad; null says neither.' };
const comment = {
  description: `In words. \`<@\`, the id of a member and \`>\` mention that member: ${mentionsMax} at most.`,
};

/** The words of a person in an annotation, of a record, a testcase or a trace. */
export const opinion = {
  rating: z.boolean().nullable().meta(rating),
  comment: z.string().nullable().meta(comment),
};

/** When an annotation was changed, and whom it mentions. */
export const opinionFacts = {
  mentions: z.array(z.string()).meta({ description: 'The members whom the comment mentions.' }),
  editedAt: timestamp().nullable().meta({
    description: 'When its author changed it last; null where nobody did.',
  }),
};

/** The same in a request, where each may be left out. */
export const opinionBody = {
  rating: z.boolean().nullish().meta(rating),
  comment: text(10_000).nullish().meta(comment),
};
