import type { Collection, Document, Filter, UpdateFilter } from 'mongodb';

/**
 * Gives another person the place of one in these fields of the documents of a scope, which holds the
 * organization. A field is a path as `authorFields` of the project file has them: `tags.userId` is
 * the `userId` of each item of `tags`. A repeat changes nothing.
 */
export async function moveAuthors<Shape extends Document>(
  collection: Collection<Shape>,
  scope: Filter<Shape> & { organizationId: string },
  fields: readonly string[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const field of fields) {
    const [list, name] = field.split('.');
    const filter = { ...scope, [field]: from } as Filter<Shape>;
    if (name === undefined)
      await collection.updateMany(filter, { $set: { [field]: to } } as UpdateFilter<Shape>);
    else
      await collection.updateMany(
        filter,
        { $set: { [`${list}.$[own].${name}`]: to } } as UpdateFilter<Shape>,
        { arrayFilters: [{ [`own.${name}`]: from }] },
      );
  }
}
