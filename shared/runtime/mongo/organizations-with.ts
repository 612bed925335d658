import type { Collection, Document, Filter } from 'mongodb';

/**
 * Returns the organizations that have documents as wanted in one of these ways. That the organization
 * is named at all lets MongoDB jump from one to the next in an index that begins with it, however many
 * documents each has: work that is due is looked for every few seconds. An `$or` of the ways would
 * not.
 */
export async function organizationsWith<Shape extends Document & { organizationId: string }>(
  collection: Pick<Collection<Shape>, 'distinct'>,
  ...wanted: Filter<Shape>[]
): Promise<string[]> {
  const found = await Promise.all(
    wanted.map((each) =>
      collection.distinct('organizationId', {
        organizationId: { $gt: '' },
        ...each,
      } as Filter<Shape>),
    ),
  );
  return [...new Set(found.flat())];
}
