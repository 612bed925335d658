import type { Database } from '@assay/runtime/mongo/database';
import { bytesOnDisk } from './bytes-on-disk.ts';
import { type DueHead, idOf, type StoredHead } from './head.ts';

/** The list of the spans of a trace, as it was when the trace settled. */
export interface SpanListDocument {
  /** That of its head. */
  _id: string;
  organizationId: string;
  traceId: string;
  /** Those of the head when it settled. Once more comes the list is not of all spans. */
  arrivals: number;
  changedAt: Date;
  /** The version of the mapping by which the spans were read. */
  mapping: number;
  /** A list in JSON. */
  data: Uint8Array;
  numSpans: number;
  expiresAt: Date;
}

export type SpanListStore = ReturnType<typeof createSpanListStore>;

/** Lists of the spans of large traces. */
export function createSpanListStore(database: Database) {
  const lists = database.collection<SpanListDocument>('span_lists');

  return {
    /** Keeps a list in place of an earlier one of its trace. */
    async keep(
      organizationId: string,
      { traceId, arrivals, changedAt, expiresAt }: DueHead,
      written: Pick<SpanListDocument, 'mapping' | 'data' | 'numSpans'>,
    ): Promise<void> {
      const _id = idOf(organizationId, traceId);
      await lists.replaceOne(
        { _id, organizationId },
        { organizationId, traceId, arrivals, changedAt, expiresAt, ...written },
        { upsert: true },
      );
    },

    /** Returns the list of a trace as it is now, by a version of the mapping, if it is kept. */
    async find(
      organizationId: string,
      { traceId, arrivals, changedAt }: StoredHead,
      mapping: number,
    ): Promise<{ data: Uint8Array; numSpans: number } | undefined> {
      const asNow = { arrivals, changedAt, mapping };
      const found = await lists.findOne(
        { _id: idOf(organizationId, traceId), organizationId, ...asNow },
        { projection: { data: 1, numSpans: 1 } },
      );
      return found ? { data: found.data, numSpans: found.numSpans } : undefined;
    },

    bytesOnDisk: (): Promise<number> => bytesOnDisk(lists),

    async keepUntil(organizationId: string, traceIds: string[], expiresAt: Date): Promise<void> {
      await lists.updateMany(ofTraces(organizationId, traceIds), { $max: { expiresAt } });
    },

    async deleteOfTraces(organizationId: string, traceIds: string[]): Promise<void> {
      await lists.deleteMany(ofTraces(organizationId, traceIds));
    },
  };
}

const ofTraces = (organizationId: string, traceIds: string[]) => ({
  _id: { $in: traceIds.map((id) => idOf(organizationId, id)) },
  organizationId,
});
