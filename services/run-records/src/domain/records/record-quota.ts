import type { Identity } from '@assay/contracts/define';
import { conflict } from '@assay/contracts/failure';
import type { CountedUsage } from '@assay/contracts/limits';
import type { Dependencies } from '../dependencies.ts';

/**
 * The time that a count is reused, in ms. Records that this process adds meanwhile are counted on
 * top of it.
 */
const knownMs = 10_000;

export type RecordQuota = ReturnType<typeof createRecordQuota>;

/**
 * Bounds the records of an organization, and those of all by the room on the database's disk. The
 * records that other processes add within ten seconds may exceed the bound.
 */
export function createRecordQuota({
  store,
  recordsMax,
  disk,
  now,
}: Pick<Dependencies, 'store' | 'recordsMax' | 'disk' | 'now'>) {
  const counts = new Map<string, { records: Promise<number>; added: number; untilMs: number }>();

  function countOf(organizationId: string) {
    const known = counts.get(organizationId);
    if (known && known.untilMs > now().getTime()) return known;
    const count = {
      records: store.runs.countRecords(organizationId),
      added: 0,
      untilMs: now().getTime() + knownMs,
    };
    count.records.catch(() => counts.delete(organizationId));
    counts.set(organizationId, count);
    return count;
  }

  return {
    async usage({ organizationId }: Identity): Promise<CountedUsage> {
      const used = await store.runs.countRecords(organizationId);
      return { used, installationLimit: recordsMax.installation ?? null };
    },

    /** True where it is known that there is room, so that no record waits for nothing. */
    hasRoom: (organizationId: string): boolean =>
      recordsMax.of(organizationId) === undefined && disk.hasRoom(),

    /**
     * @throws CONFLICT when there is no room for one more, SERVICE_UNAVAILABLE when the disk is nearly
     * full.
     */
    async check(organizationId: string): Promise<void> {
      await disk.check();
      const most = await recordsMax.of(organizationId);
      if (most === undefined) return;
      const count = countOf(organizationId);
      if ((await count.records) + count.added >= most)
        throw conflict(
          `Your organization may keep ${most} records and has as many. Delete runs, or ask your operator for more.`,
        );
      count.added += 1;
    },
  };
}
