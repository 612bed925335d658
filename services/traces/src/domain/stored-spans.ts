import type { Identity } from '@assay/contracts/define';
import type { Contents, ContentsPlace } from '@assay/span-reading/contents';
import { mappingVersion } from '@assay/span-reading/families';
import type { StoredHead } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import type { SpanCondition, SpanList } from './kept-trace.ts';
import { readWritten } from './reading-task.ts';

type Organization = Pick<Identity, 'organizationId'>;

/** Bytes of one trace that are read: spans beyond are counted as they came. */
export const traceBytesMax = 64 * 1024 * 1024;
/** The `expiresAt` of traces of which something was made: they are kept. */
export const keptUntil = new Date('9999-12-31T00:00:00.000Z');

export type StoredSpans = ReturnType<typeof createStoredSpans>;

/** The spans of single traces: how they are read, and kept beyond their retention. */
export function createStoredSpans({ store, read }: Pick<Dependencies, 'store' | 'read'>) {
  /** The stored spans of a trace, as far as they are read. */
  async function partsOf({ organizationId }: Organization, traceId: string): Promise<Uint8Array[]> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const { bytes } of store.parts.ofTraces(organizationId, [traceId])) {
      if (length > 0 && length + bytes.length > traceBytesMax) break;
      parts.push(bytes);
      length += bytes.length;
    }
    return parts;
  }

  return {
    partsOf,

    /** The list of a trace's spans: as it was written when the trace settled, if it was. */
    async listOf(organization: Organization, head: StoredHead): Promise<SpanList> {
      const { traceId } = head;
      const written = await store.spanLists.find(organization.organizationId, head, mappingVersion);
      if (written) return written;
      return read({ name: 'listSpans', given: { parts: await partsOf(organization, traceId) } });
    },

    /** The contents of places of a trace; undefined for each that it does not have. */
    contentsOf: async (
      organization: Organization,
      traceId: string,
      places: ContentsPlace[],
    ): Promise<(Contents | undefined)[]> => {
      const parts = await partsOf(organization, traceId);
      const found = await read({ name: 'readContents', given: { parts, places } });
      return found.map((json) => readWritten<Contents>(json));
    },

    /** The same, of a trace that has a span as wanted; undefined of any other. */
    matchingContentsOf: async (
      organization: Organization,
      traceId: string,
      condition: SpanCondition,
      places: ContentsPlace[],
    ): Promise<(Contents | undefined)[] | undefined> => {
      const parts = await partsOf(organization, traceId);
      const found = await read({ name: 'readMatching', given: { parts, condition, places } });
      return found?.map((json) => readWritten<Contents>(json));
    },

    /** But for those of projects that keep none. */
    async keep({ organizationId }: Organization, traceIds: string[]): Promise<void> {
      const kept = await store.heads.keepUntil(organizationId, traceIds, keptUntil);
      await store.parts.keepUntil(organizationId, kept, keptUntil);
    },
  };
}
