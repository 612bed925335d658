import { JsonText, type Payload, StoredJsonText } from '@assay/contracts/payload';
import type { Database } from '@assay/runtime/mongo';

/** Payloads up to this many bytes together stand in the record itself: every score rewrites the record, and should not rewrite much. */
const inlineBytesMax = 256 * 1024;
const chunkBytes = 4 * 1024 * 1024;

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

export type PayloadStore = ReturnType<typeof createPayloadStore>;

/** The payloads of records, small ones inside the record, large ones in chunks beside it. */
export function createPayloadStore(database: Database) {
  const chunks = database.collection<ChunkDocument>('record_chunks');

  async function* readChunks(recordId: string, field: Field): AsyncIterable<Uint8Array> {
    const prefix = `${recordId}:${field}:`;
    for await (const { bytes } of chunks
      .find({ _id: { $gt: prefix, $lt: `${prefix}~` } })
      .sort({ _id: 1 })
      .batchSize(1))
      yield bytes;
  }

  return {
    bytesOf: ({ inputs, expected, outputs }: Payloads<JsonText>): number =>
      inputs.bytes.length + expected.bytes.length + outputs.bytes.length,

    /** Writes what is large; it must be there before the record that names it. */
    async keep(organizationId: string, ids: { runId: string; recordId: string }, payloads: Payloads<JsonText>): Promise<KeptPayloads> {
      if (this.bytesOf(payloads) <= inlineBytesMax) {
        return { inputs: payloads.inputs.bytes, expected: payloads.expected.bytes, outputs: payloads.outputs.bytes };
      }
      for (const field of fields) {
        for (const [number, bytes] of cut(payloads[field].bytes).entries()) {
          const _id = `${ids.recordId}:${field}:${String(number).padStart(4, '0')}`;
          // Replaced, because a record that waited for another is kept once more.
          await chunks.replaceOne({ _id }, { organizationId, runId: ids.runId, bytes }, { upsert: true });
        }
      }
      return {
        chunked: { inputs: payloads.inputs.bytes.length, expected: payloads.expected.bytes.length, outputs: payloads.outputs.bytes.length },
      };
    },

    open(recordId: string, kept: KeptPayloads): Payloads {
      const openField = (field: Field): Payload =>
        'chunked' in kept ? new StoredJsonText(kept.chunked[field], () => readChunks(recordId, field)) : new JsonText(kept[field]);
      return { inputs: openField('inputs'), expected: openField('expected'), outputs: openField('outputs') };
    },

    async deleteOfRecord(organizationId: string, recordId: string): Promise<void> {
      await chunks.deleteMany({ organizationId, _id: { $gt: `${recordId}:`, $lt: `${recordId}:~` } });
    },

    async deleteOfRun(organizationId: string, runId: string): Promise<void> {
      await chunks.deleteMany({ organizationId, runId });
    },
  };
}

const cut = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
