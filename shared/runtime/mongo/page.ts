import type { Page, PageRequest } from '@assay/contracts/page';
import type { Collection, Document, Filter, Hint } from 'mongodb';

/**
 * A page of a collection in the order of its ids: oldest first, or newest first. The filter must
 * lead an index that ends in `_id`; `hint` names it where the database could remember another one,
 * which was good for another filter.
 */
export async function findPage<Shape extends Document & { _id: string }, Item>(
  collection: Collection<Shape>,
  {
    filter,
    page,
    order = 'oldest first',
    projection,
    hint,
    toItem,
  }: {
    filter: Filter<Shape>;
    page: PageRequest;
    order?: 'oldest first' | 'newest first';
    projection?: Document;
    hint?: Hint;
    toItem: (document: Shape) => Item;
  },
): Promise<Page<Item>> {
  const [operator, direction] =
    order === 'oldest first' ? (['$gt', 1] as const) : (['$lt', -1] as const);
  const from =
    page.after === undefined
      ? filter
      : ({ $and: [filter, { _id: { [operator]: page.after } }] } as Filter<Shape>);
  const documents = (await collection
    .find(from, { ...(projection ? { projection } : {}), ...(hint ? { hint } : {}) })
    .sort({ _id: direction })
    .limit(page.limit + 1)
    .toArray()) as unknown as Shape[];
  const items = documents.slice(0, page.limit);
  return {
    items: items.map(toItem),
    next: documents.length > page.limit ? items.at(-1)!._id : null,
  };
}
