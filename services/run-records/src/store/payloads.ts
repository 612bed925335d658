import { unavailable } from '@assay/contracts/failure';
import { JsonText, type Payload, StoredJsonText } from '@assay/contracts/payload';
import { previewCharactersMax } from '@assay/contracts/preview';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import type { Database } from '@assay/runtime/mongo/database';

/**
 * Payloads up to this many bytes together stand in the record itself: every score rewrites the
 * record, and should not rewrite much.
 */
const inlineBytesMax = 256 * 1024;
/** Each is written at a stroke, and the event loop does nothing else meanwhile. */
const chunkBytes = 1024 * 1024;
/** The longest preview, if each of its characters has four bytes. */
const headBytes = 4 * previewCharactersMax;
/**
 * Large records that a process writes at once: more would fill the database's cache and journal,
 * and small requests would wait for it.
 */
const largeAtOnceMax = 1;
/** Chunks deleted at once: the database reads them. */
const deletedChunksMax = 16;

export interface Payloads<Kind = Payload> {
  inputs: Kind;
  expected: Kind;
  outputs: Kind;
}

const fields = ['inputs', 'expected', 'outputs'] as const;
export type PayloadField = (typeof fields)[number];

interface ChunkDocument {
  /** `<record>:<field>:<number>`: a record's chunks lie side by side, in order. */
  _id: string;
  organizationId: string;
  runId: string;
  bytes: Uint8Array;
}

/**
 * Chunks without a record: there before the first of them, taken away by the commit that makes the
 * record, and there again from its deletion on. So a process that dies in between leaves nothing
 * that is never removed.
 */
interface UnfinishedDocument {
  /** The record's id. */
  _id: string;
  organizationId: string;
  /** Since when nothing refers to them, for the purge. */
  deletedAt: Date;
  /** There when the purge is at it. */
  heldUntil?: Date;
}

/**
 * Payloads as a record stores them: as bytes, or as the lengths of payloads that are stored in
 * chunks.
 */
export type KeptPayloads =
  | Payloads<Uint8Array>
  | {
      chunked: Payloads<number>;
      /** The first bytes of each, for previews; records of earlier releases have none. */
      heads?: Payloads<Uint8Array>;
    };

/** Bytes of them in the record. */
export const inlineBytes = (kept: KeptPayloads | undefined): number =>
  !kept || 'chunked' in kept ? 0 : kept.inputs.length + kept.expected.length + kept.outputs.length;

/** Bytes that are read in part. */
export interface StoredBytes {
  byteLength: number;
  read: (from: number, to: number) => AsyncIterable<Uint8Array>;
}

export type PayloadStore = ReturnType<typeof createPayloadStore>;

/** The payloads of records, small ones inside the record, large ones in chunks beside it. */
export function createPayloadStore(database: Database) {
  const chunks = database.collection<ChunkDocument>('record_chunks');
  const unfinished = database.collection<UnfinishedDocument>('unfinished_payloads');
  const withPermit = createFairSemaphore({ permits: largeAtOnceMax });

  /** Reads the bytes of a field from one place up to another, and only the chunks that hold them. */
  async function* readChunks(
    recordId: string,
    field: PayloadField,
    { from, to }: { from: number; to: number },
  ): AsyncIterable<Uint8Array> {
    let place = from - (from % chunkBytes);
    const first = chunkId(recordId, field, place / chunkBytes);
    const last = chunkId(recordId, field, Math.floor((to - 1) / chunkBytes));
    for await (const { bytes } of chunks
      .find({ _id: { $gte: first, $lte: last } })
      .sort({ _id: 1 })
      .batchSize(1)) {
      yield bytes.subarray(Math.max(0, from - place), to - place);
      place += bytes.length;
    }
    if (place < to) throw unavailable('A record was deleted while it was read.');
  }

  async function disown(organizationId: string, recordId: string): Promise<void> {
    await unfinished.updateOne(
      { _id: recordId, organizationId },
      { $set: { deletedAt: new Date() } },
      { upsert: true },
    );
  }

  async function deleteOfRecord(organizationId: string, recordId: string): Promise<void> {
    await chunks.deleteMany({ organizationId, _id: { $gt: `${recordId}:`, $lt: `${recordId}:~` } });
  }

  return {
    /** Is it too much for the record itself? */
    isLarge: ({ inputs, expected, outputs }: Payloads<JsonText>): boolean =>
      inputs.bytes.length + expected.bytes.length + outputs.bytes.length > inlineBytesMax,
    /** As they stand in the record. */
    inline: ({ inputs, expected, outputs }: Payloads<JsonText>): KeptPayloads => ({
      inputs: inputs.bytes,
      expected: expected.bytes,
      outputs: outputs.bytes,
    }),
    /** Writes large payloads in chunks. They must exist before the record that refers to them. */
    async keepInChunks(
      organizationId: string,
      { runId, recordId }: { runId: string; recordId: string },
      payloads: Payloads<JsonText>,
    ): Promise<KeptPayloads> {
      await withPermit(organizationId, async () => {
        await disown(organizationId, recordId);
        for (const field of fields) {
          for (const [number, bytes] of cut(payloads[field].bytes).entries()) {
            const _id = chunkId(recordId, field, number);
            // Replaced, because a record that waited for another is kept once more.
            await chunks.replaceOne({ _id }, { organizationId, runId, bytes }, { upsert: true });
          }
        }
      });
      const { inputs, expected, outputs } = payloads;
      return {
        chunked: {
          inputs: inputs.bytes.length,
          expected: expected.bytes.length,
          outputs: outputs.bytes.length,
        },
        heads: {
          inputs: inputs.bytes.subarray(0, headBytes),
          expected: expected.bytes.subarray(0, headBytes),
          outputs: outputs.bytes.subarray(0, headBytes),
        },
      };
    },

    /**
     * From now on these records refer to their chunks. In the transaction that makes them.
     * @throws SERVICE_UNAVAILABLE when that took so long that the purge has begun.
     */
    async own(organizationId: string, recordIds: string[]): Promise<void> {
      if (recordIds.length === 0) return;
      const filter = { _id: { $in: recordIds }, organizationId, heldUntil: { $exists: false } };
      const { deletedCount } = await unfinished.deleteMany(filter);
      if (deletedCount < recordIds.length)
        throw unavailable('A large record took too long to be stored.');
    },
    /**
     * From now on nothing refers to the chunks of this record. In the transaction that deletes it.
     */
    disown,

    /** Bytes of a record's payloads, wherever they are. */
    bytesOf({ kept }: { kept: KeptPayloads }): number {
      if (!('chunked' in kept)) return inlineBytes(kept);
      return kept.chunked.inputs + kept.chunked.expected + kept.chunked.outputs;
    },

    open(recordId: string, kept: KeptPayloads): Payloads {
      const openField = (field: PayloadField): Payload =>
        'chunked' in kept
          ? new StoredJsonText(
              kept.chunked[field],
              () => readChunks(recordId, field, { from: 0, to: kept.chunked[field] }),
              kept.heads?.[field],
            )
          : new JsonText(kept[field]);
      return {
        inputs: openField('inputs'),
        expected: openField('expected'),
        outputs: openField('outputs'),
      };
    },

    /** How many bytes a field has, and how to read a part of them. */
    openBytes(recordId: string, kept: KeptPayloads, field: PayloadField): StoredBytes {
      if ('chunked' in kept)
        return {
          byteLength: kept.chunked[field],
          read: (from, to) => readChunks(recordId, field, { from, to }),
        };
      const bytes = kept[field];
      return {
        byteLength: bytes.length,
        async *read(from, to) {
          yield bytes.subarray(from, to);
        },
      };
    },

    deleteOfRecord,
    /** Deletes the chunks of a record that was never created or is deleted, for the purge. */
    async *deleteUnfinished(organizationId: string, recordId: string): AsyncGenerator<void> {
      await deleteOfRecord(organizationId, recordId);
      yield;
    },

    /** Deletes all chunks of a run in batches, also those of records that never came to be. */
    async *deleteOfRun(organizationId: string, runId: string): AsyncGenerator<void> {
      for (;;) {
        const found = await chunks
          .find({ organizationId, runId }, { projection: { _id: 1 } })
          .limit(deletedChunksMax)
          .toArray();
        if (found.length === 0) return;
        await chunks.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, organizationId });
        yield;
      }
    },
  };
}

const chunkId = (recordId: string, field: PayloadField, number: number): string =>
  `${recordId}:${field}:${String(number).padStart(4, '0')}`;

const cut = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
