import type { Collection, Document, Filter } from 'mongodb';

/**
 * Returns the organizations that have documents as wanted. That the organization is named at all lets
 * MongoDB jump from one to the next in an index that begins with it, however many documents each has:
 * work that is due is looked for every few seconds.
 */
export const organizationsWith = <Shape extends Document & { organizationId: string }>(
  collection: Pick<Collection<Shape>, 'distinct'>,
  wanted: Filter<Shape>,
): Promise<string[]> =>
  collection.distinct('organizationId', {
    organizationId: { $gt: '' },
    ...wanted,
  } as Filter<Shape>);
