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
  /** See {@link NewPart.spanIds}; missing where there are few. */
  spanIds?: Uint8Array;
  expiresAt: Date;
}

/** Parts of fewer spans are read rather than asked for what they have. */
const askedSpansMin = 100;
const spanIdBytes = 8;

export interface StoredPart {
  id: string;
  bytes: Uint8Array;
}

export interface NewPart extends StoredPart {
  traceId: string;
  numSpans: number;
  /** The ids of its spans, one behind the other. */
  spanIds: Uint8Array;
  expiresAt: Date;
}

/** The spans of traces, in parts. Their lists are kept, and go, with them. */
export function createPartStore(database: Database, spanLists: SpanListStore) {
  const parts = database.collection<PartDocument>('trace_parts');

  return {
    async add(added: { organizationId: string; part: NewPart }[]): Promise<void> {
      if (added.length === 0) return;
      const documents = added.map(({ organizationId, part: { id, spanIds, ...part } }) => ({
        _id: id,
        organizationId,
        ...part,
        ...(part.numSpans >= askedSpansMin ? { spanIds } : {}),
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

    /** Returns the ids of the parts of a trace that may have a span, in order. */
    async mayHaveSpan(
      organizationId: string,
      traceId: string,
      spanId: Uint8Array,
    ): Promise<string[]> {
      const found = parts
        .find({ organizationId, traceId }, { projection: { spanIds: 1 } })
        .sort({ _id: 1 });
      const ids: string[] = [];
      for await (const { _id: id, spanIds } of found)
        if (!spanIds || hasId(spanIds, spanId)) ids.push(id);
      return ids;
    },

    /** Yields some parts, in order. */
    async *some(organizationId: string, ids: string[]): AsyncGenerator<StoredPart> {
      const found = parts
        .find({ organizationId, _id: { $in: ids } }, { projection: { bytes: 1 } })
        .sort({ _id: 1 });
      for await (const { _id: id, bytes } of found) yield { id, bytes };
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

function hasId(spanIds: Uint8Array, spanId: Uint8Array): boolean {
  const searched = Buffer.from(spanIds.buffer, spanIds.byteOffset, spanIds.byteLength);
  let at = searched.indexOf(spanId);
  while (at > 0 && at % spanIdBytes !== 0) at = searched.indexOf(spanId, at + 1);
  return at >= 0;
}
