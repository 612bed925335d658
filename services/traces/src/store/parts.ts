import type { Database } from '@assay/runtime/mongo/database';
import { bytesOnDisk } from './bytes-on-disk.ts';
import type { SpanListStore } from './span-lists.ts';

/** Spans of one trace, as they came together or as they were put together later. */
interface PartDocument {
  /** Grows with the time at which it was stored. */
  _id: string;
  organizationId: string;
  traceId: string;
  /** An ExportTraceServiceRequest in protobuf. */
  bytes: Uint8Array;
  numSpans: number;
  expiresAt: Date;
}

export interface StoredPart {
  id: string;
  bytes: Uint8Array;
}

export interface NewPart extends StoredPart {
  traceId: string;
  numSpans: number;
  expiresAt: Date;
}

/** The spans of traces, in parts. Their lists are kept, and go, with them. */
export function createPartStore(database: Database, spanLists: SpanListStore) {
  const parts = database.collection<PartDocument>('trace_parts');

  return {
    async add(added: { organizationId: string; part: NewPart }[]): Promise<void> {
      if (added.length === 0) return;
      const documents = added.map(({ organizationId, part: { id, ...part } }) => ({
        _id: id,
        organizationId,
        ...part,
      }));
      await parts.insertMany(documents, { ordered: false });
    },

    /** Returns the bytes on disk of all spans and of their lists, with their indexes. */
    bytesOnDisk: async (): Promise<number> =>
      (await bytesOnDisk(parts)) + (await spanLists.bytesOnDisk()),

    /** Returns the id of the part that was stored first, of those that are there. */
    async oldestId(): Promise<string | undefined> {
      return (await parts.findOne({}, { projection: { _id: 1 }, sort: { _id: 1 } }))?._id;
    },

    /** Yields the parts of some traces, those of each one after the other, in order. */
    async *ofTraces(
      organizationId: string,
      traceIds: string[],
    ): AsyncGenerator<StoredPart & { traceId: string }> {
      const found = parts
        .find(
          { organizationId, traceId: { $in: traceIds } },
          { projection: { bytes: 1, traceId: 1 } },
        )
        .sort({ traceId: 1, _id: 1 });
      for await (const { _id: id, traceId, bytes } of found) yield { id, traceId, bytes };
    },

    async keepUntil(organizationId: string, traceIds: string[], expiresAt: Date): Promise<void> {
      const filter = { organizationId, traceId: { $in: traceIds } };
      await parts.updateMany(filter, { $max: { expiresAt } });
      await spanLists.keepUntil(organizationId, traceIds, expiresAt);
    },

    async deleteParts(organizationId: string, ids: string[]): Promise<void> {
      if (ids.length > 0) await parts.deleteMany({ organizationId, _id: { $in: ids } });
    },

    async deleteOfTraces(organizationId: string, traceIds: string[]): Promise<void> {
      await parts.deleteMany({ organizationId, traceId: { $in: traceIds } });
      await spanLists.deleteOfTraces(organizationId, traceIds);
    },
  };
}
