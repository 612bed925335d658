import { z } from 'zod';
import { integerParameter } from './fields.ts';

/** A request to a store for at most `limit` items after the id `after`. */
export interface PageRequest {
  limit: number;
  after: string | undefined;
}

/** A store's answer: the items, and the id after which the next page begins, or null at the end. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** The query of every list (contract section 1, Lists). */
export const pageQuery = {
  limit: integerParameter({
    min: 1,
    max: 100,
    default: 20,
    about: 'How many items a page has at most.',
  }),
  cursor: z
    .string()
    .max(4096)
    .optional()
    .meta({ description: 'The `nextCursor` of the page before.' }),
};

/** The same in the body of a search. */
export const pageBody = {
  limit: z
    .int()
    .min(1)
    .max(100)
    .default(20)
    .meta({ description: 'How many items a page has at most.' }),
  cursor: z
    .string()
    .max(4096)
    .nullish()
    .meta({ description: 'The `nextCursor` of the page before.' }),
};

/** The reply of every list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item).meta({ description: 'The items of the page, in the order of the list.' }),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'The `cursor` of the next page; null at the end.' }),
    hasMore: z.boolean().meta({ description: 'Whether there is a next page.' }),
  });
