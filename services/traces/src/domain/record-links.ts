import type { Identity } from '@assay/contracts/define';
import type { Dependencies } from './dependencies.ts';
import { keptUntil, type StoredSpans } from './stored-spans.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How long after its record a trace may come, and is kept all the same. */
const rememberedMs = 30 * dayMs;
/** Traces that are kept at once. */
const keptMax = 500;

type Organization = Pick<Identity, 'organizationId'>;

export type RecordLinks = ReturnType<typeof createRecordLinks>;

/**
 * Keeps the traces that records name, in either order. A link id is stored before the traces that
 * are there are looked for, and the link ids of a trace before the stored ones are: so one of the
 * two finds the other.
 */
export function createRecordLinks({
  store,
  now,
  keep,
}: Pick<Dependencies, 'store' | 'now'> & Pick<StoredSpans, 'keep'>) {
  return {
    /** Records with these link ids were created. */
    async add({ organizationId }: Organization, linkIds: string[]): Promise<void> {
      const expiresAt = new Date(now().getTime() + rememberedMs);
      await store.recordLinks.add(organizationId, linkIds, expiresAt);
      for (;;) {
        const ids = await store.heads.findNamed(organizationId, linkIds, {
          expiringBefore: keptUntil,
          limit: keptMax,
        });
        if (ids.length > 0) await keep({ organizationId }, ids);
        if (ids.length < keptMax) return;
      }
    },

    /** These traces are about to be settled: those that records name are kept. */
    async keepNamed(
      organizationId: string,
      traces: { traceId: string; linkIds: string[] }[],
    ): Promise<void> {
      if (traces.length === 0) return;
      const carrying = traces.filter(({ linkIds }) => linkIds.length > 0);
      await store.heads.setLinkIds(organizationId, carrying);
      const named = await store.recordLinks.findThere(
        organizationId,
        traces.flatMap(({ traceId, linkIds }) => [traceId, ...linkIds]),
      );
      if (named.size === 0) return;
      const kept = traces.filter(({ traceId, linkIds }) =>
        [traceId, ...linkIds].some((name) => named.has(name)),
      );
      await keep(
        { organizationId },
        kept.map(({ traceId }) => traceId),
      );
    },
  };
}
