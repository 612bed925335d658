import type { Identity } from '@assay/contracts/define';
import type { TraceSpan } from '@assay/contracts/traces';
import type { Contents, ContentsPlace } from '@assay/span-reading/contents';
import { mappingVersion } from '@assay/span-reading/families';
import type { StoredHead, StoredPart } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import { listedBeforeMin, type SpanCondition, type SpanList } from './kept-trace.ts';
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
  const partsOf = ({ organizationId }: Organization, traceId: string): Promise<Uint8Array[]> =>
    someBytesOf(store.parts.ofTraces(organizationId, [traceId]));

  /** The stored spans of a trace that may have a span; of a large trace these are a few. */
  async function partsWithSpan(
    organization: Organization,
    { traceId, numSpans }: Pick<StoredHead, 'traceId' | 'numSpans'>,
    spanId: string,
  ): Promise<Uint8Array[]> {
    if (numSpans < listedBeforeMin) return partsOf(organization, traceId);
    const { organizationId } = organization;
    const id = Buffer.from(spanId, 'hex');
    const ids = await store.parts.mayHaveSpan(organizationId, traceId, id);
    return someBytesOf(store.parts.some(organizationId, ids));
  }

  return {
    partsOf,

    /** A span with all that is known of it; undefined where the trace has none of this id. */
    findSpan: async (
      organization: Organization,
      head: Pick<StoredHead, 'traceId' | 'numSpans'>,
      spanId: string,
    ): Promise<TraceSpan | undefined> => {
      const parts = await partsWithSpan(organization, head, spanId);
      return readWritten<TraceSpan>(await read({ name: 'findSpan', given: { parts, spanId } }));
    },

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

/** The bytes of parts, as far as they are read. */
async function someBytesOf(parts: AsyncIterable<StoredPart>): Promise<Uint8Array[]> {
  const some: Uint8Array[] = [];
  let length = 0;
  for await (const { bytes } of parts) {
    if (length > 0 && length + bytes.length > traceBytesMax) break;
    some.push(bytes);
    length += bytes.length;
  }
  return some;
}
