import { type Payload, StoredJsonText } from '@assay/contracts/payload';
import type { ExportedRecord } from '../../store/export.ts';

/** A piece of a record's output: text of our own, or a payload. */
export type Part = string | Uint8Array | StoredJsonText;

export const partOf = (payload: Payload): Part =>
  payload instanceof StoredJsonText ? payload : payload.bytes;

/**
 * Yields the bytes of records as they are ready: payloads that are stored in chunks chunk by chunk,
 * the rest of a record together, since waiting for each part would cost more than making it.
 * `rewrite` converts the payloads' bytes, a stretch at a time.
 */
export async function* readyBytes(
  batches: AsyncIterable<ExportedRecord[]>,
  {
    partsOf,
    rewrite,
  }: { partsOf: (record: ExportedRecord) => Part[]; rewrite: (json: Uint8Array) => Uint8Array },
): AsyncGenerator<Uint8Array[]> {
  for await (const records of batches) {
    for (const record of records) {
      let ready: Uint8Array[] = [];
      for (const part of partsOf(record)) {
        if (typeof part === 'string') ready.push(Buffer.from(part));
        else if (part instanceof Uint8Array) ready.push(rewrite(part));
        else {
          yield ready;
          ready = [];
          for await (const chunk of part.read()) yield [rewrite(chunk)];
        }
      }
      yield ready;
    }
  }
}
