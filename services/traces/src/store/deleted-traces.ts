import type { Database } from '@assay/runtime/mongo/database';
import { idOf } from './head.ts';

/** Longer than a client's exporter repeats a request that was not answered. */
const rememberedMs = 60 * 60 * 1000;

interface DeletedTraceDocument {
  /** As that of its head. */
  _id: string;
  organizationId: string;
  expiresAt: Date;
}

export interface NamedTrace {
  organizationId: string;
  traceId: string;
}

/** The traces that somebody deleted: a span that comes late brings none of them back. */
export function createDeletedTraces(database: Database) {
  const deleted = database.collection<DeletedTraceDocument>('deleted_traces');

  return {
    /** Remembers traces for an hour from `at`. To be called before anything of them is deleted. */
    async remember(organizationId: string, traceIds: string[], at: Date): Promise<void> {
      if (traceIds.length === 0) return;
      const expiresAt = new Date(at.getTime() + rememberedMs);
      await deleted.bulkWrite(
        traceIds.map((traceId) => ({
          updateOne: {
            filter: { _id: idOf(organizationId, traceId) },
            update: { $set: { organizationId, expiresAt } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },

    /** Returns a function that tells whether one of these traces was deleted. */
    async among(traces: NamedTrace[]): Promise<(trace: NamedTrace) => boolean> {
      const organizations = new Set(traces.map(({ organizationId }) => organizationId));
      const ids = new Set(
        traces.map(({ organizationId, traceId }) => idOf(organizationId, traceId)),
      );
      const found = deleted.find(
        { organizationId: { $in: [...organizations] }, _id: { $in: [...ids] } },
        { projection: { _id: 1 } },
      );
      const gone = new Set(await found.map(({ _id }) => _id).toArray());
      return ({ organizationId, traceId }) => gone.has(idOf(organizationId, traceId));
    },
  };
}
