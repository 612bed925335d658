import type { Database } from '@assay/runtime/mongo/database';
import type { HeadDocument } from './head.ts';

/** Where something of a trace is. The head goes last: by it the others are found. */
const places = ['trace_parts', 'span_lists', 'trace_annotations', 'traces'] as const;

/** How much of each place went, and is left of the same traces. */
export type ErasedPlaces = { place: string; erased: number; left: number }[];

/** Whose traces are meant: a user's of an organization's systems, or a session's. */
export type TracesOwner = { userId: string } | { sessionId: string };

/** The traces that name a user or a session. */
export function createNamedTraces(database: Database) {
  const heads = database.collection<HeadDocument>('traces');

  return {
    count: (organizationId: string, owner: TracesOwner): Promise<number> =>
      heads.countDocuments({ organizationId, ...owner }),
    some: (organizationId: string, owner: TracesOwner, limit: number): Promise<string[]> =>
      heads
        .find({ organizationId, ...owner }, { projection: { traceId: 1 } })
        .limit(limit)
        .map(({ traceId }) => traceId)
        .toArray(),
    /** Erases traces whole. */
    async erase(organizationId: string, traceIds: string[]): Promise<ErasedPlaces> {
      const filter = { organizationId, traceId: { $in: traceIds } };
      const erased: ErasedPlaces = [];
      for (const place of places) {
        const collection = database.collection(place);
        const { deletedCount } = await collection.deleteMany(filter);
        erased.push({ place, erased: deletedCount, left: await collection.countDocuments(filter) });
      }
      return erased;
    },
  };
}
