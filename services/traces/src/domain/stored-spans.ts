import type { Identity } from '@assay/contracts/define';
import type { Dependencies } from './dependencies.ts';

/** Bytes of one trace that are read: spans beyond are counted as they came. */
export const traceBytesMax = 64 * 1024 * 1024;

export type StoredSpans = ReturnType<typeof createStoredSpans>;

/** Reads the spans of single traces. */
export function createStoredSpans({ store }: Pick<Dependencies, 'store'>) {
  return {
    /** The stored spans of a trace, as far as they are read. */
    async partsOf(
      { organizationId }: Pick<Identity, 'organizationId'>,
      traceId: string,
    ): Promise<Uint8Array[]> {
      const parts: Uint8Array[] = [];
      let length = 0;
      for await (const { bytes } of store.parts.ofTraces(organizationId, [traceId])) {
        if (length > 0 && length + bytes.length > traceBytesMax) break;
        parts.push(bytes);
        length += bytes.length;
      }
      return parts;
    },
  };
}
