import type { Collection, Document, Filter } from 'mongodb';

/** A filter for documents that everybody sees: not of a project that is being imported. */
export const isThere = { isArriving: { $exists: false } };

/**
 * Returns the items of an import that are not stored yet: a batch may be sent again. `scope` holds
 * the organization.
 */
export async function missingOf<Shape extends Document, Item extends { id: string }>(
  collection: Collection<Shape>,
  scope: { organizationId: string; projectId?: string },
  items: Item[],
): Promise<Item[]> {
  const filter = { ...scope, _id: { $in: items.map(({ id }) => id) } };
  const stored = await collection
    .find(filter as unknown as Filter<Shape>, { projection: { _id: 1 } })
    .toArray();
  const known = new Set<unknown>(stored.map(({ _id }) => _id));
  return items.filter(({ id }) => !known.has(id));
}
