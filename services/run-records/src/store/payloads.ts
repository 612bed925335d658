import { unavailable } from '@assay/contracts/failure';
import { JsonText, type Payload, StoredJsonText } from '@assay/contracts/payload';
import { createFairSemaphore } from '@assay/runtime/fair-semaphore';
import type { Database } from '@assay/runtime/mongo';

/** Payloads up to this many bytes together stand in the record itself: every score rewrites the record, and should not rewrite much. */
const inlineBytesMax = 256 * 1024;
/** Each is written at a stroke, and the event loop does nothing else meanwhile. */
const chunkBytes = 1024 * 1024;
/** Large records that a process writes at once: more would fill the database's cache and journal, and small requests would wait for it. */
const largeAtOnceMax = 1;
/** Chunks deleted at once: the database reads them. */
const deletedChunksMax = 16;

export interface Payloads<Kind = Payload> {
  inputs: Kind;
  expected: Kind;
  outputs: Kind;
}

const fields = ['inputs', 'expected', 'outputs'] as const;
type Field = (typeof fields)[number];

interface ChunkDocument {
  /** `<record>:<field>:<number>`: a record's chunks lie side by side, in order. */
  _id: string;
  organizationId: string;
  runId: string;
  bytes: Uint8Array;
}

/** How payloads stand in a record: as bytes, or as the lengths of what lies in chunks. */
export type KeptPayloads = Payloads<Uint8Array> | { chunked: Payloads<number> };

/** Bytes of them in the record. */
export const inlineBytes = (kept: KeptPayloads | undefined): number =>
  !kept || 'chunked' in kept ? 0 : kept.inputs.length + kept.expected.length + kept.outputs.length;

export type PayloadStore = ReturnType<typeof createPayloadStore>;

/** The payloads of records, small ones inside the record, large ones in chunks beside it. */
export function createPayloadStore(database: Database) {
  const chunks = database.collection<ChunkDocument>('record_chunks');
  const withPermit = createFairSemaphore({ permits: largeAtOnceMax });

  async function* readChunks(recordId: string, field: Field, byteLength: number): AsyncIterable<Uint8Array> {
    let missing = byteLength;
    const prefix = `${recordId}:${field}:`;
    for await (const { bytes } of chunks
      .find({ _id: { $gt: prefix, $lt: `${prefix}~` } })
      .sort({ _id: 1 })
      .batchSize(1)) {
      missing -= bytes.length;
      yield bytes;
    }
    if (missing > 0) throw unavailable('A record was deleted while it was read.');
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
    /** Writes what is large; it must be there before the record that names it. */
    async keepInChunks(
      organizationId: string,
      { runId, recordId }: { runId: string; recordId: string },
      payloads: Payloads<JsonText>,
    ): Promise<KeptPayloads> {
      await withPermit(organizationId, async () => {
        for (const field of fields) {
          for (const [number, bytes] of cut(payloads[field].bytes).entries()) {
            const _id = `${recordId}:${field}:${String(number).padStart(4, '0')}`;
            // Replaced, because a record that waited for another is kept once more.
            await chunks.replaceOne({ _id }, { organizationId, runId, bytes }, { upsert: true });
          }
        }
      });
      const { inputs, expected, outputs } = payloads;
      return { chunked: { inputs: inputs.bytes.length, expected: expected.bytes.length, outputs: outputs.bytes.length } };
    },

    /** Bytes of a record's payloads, wherever they are. */
    bytesOf({ kept }: { kept: KeptPayloads }): number {
      if (!('chunked' in kept)) return inlineBytes(kept);
      return kept.chunked.inputs + kept.chunked.expected + kept.chunked.outputs;
    },

    open(recordId: string, kept: KeptPayloads): Payloads {
      const openField = (field: Field): Payload =>
        'chunked' in kept
          ? new StoredJsonText(kept.chunked[field], () => readChunks(recordId, field, kept.chunked[field]))
          : new JsonText(kept[field]);
      return { inputs: openField('inputs'), expected: openField('expected'), outputs: openField('outputs') };
    },

    async deleteOfRecord(organizationId: string, recordId: string): Promise<void> {
      await chunks.deleteMany({ organizationId, _id: { $gt: `${recordId}:`, $lt: `${recordId}:~` } });
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

const cut = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
