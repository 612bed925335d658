import { z } from 'zod';
import { text } from './fields.ts';

const rating = { description: 'True is good, false is bad; null says neither.' };
const comment = { description: 'In words.' };

/** What a person says in an annotation, of a record or of a trace. */
export const opinion = {
  rating: z.boolean().nullable().meta(rating),
  comment: z.string().nullable().meta(comment),
};

/** The same in a request, where each may be left out. */
export const opinionBody = {
  rating: z.boolean().nullish().meta(rating),
  comment: text(10_000).nullish().meta(comment),
};
