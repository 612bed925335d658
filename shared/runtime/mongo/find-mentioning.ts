import type { Collection, Filter, WithId } from 'mongodb';

interface MentioningDocument {
  _id: string;
  organizationId: string;
  projectId?: string;
  mentions?: string[];
}

/** The documents that mention a person in a project, newest first, before the id `after`. */
export const findMentioning = <Shape extends MentioningDocument>(
  collection: Collection<Shape>,
  organizationId: string,
  {
    projectId,
    userId,
    after,
    limit,
  }: { projectId: string; userId: string; after: string | null; limit: number },
): Promise<WithId<Shape>[]> =>
  collection
    .find({
      organizationId,
      projectId,
      mentions: userId,
      ...(after === null ? {} : { _id: { $lt: after } }),
    } as Filter<Shape>)
    .sort({ _id: -1 })
    .limit(limit)
    .toArray();
