import { Failure } from '@assay/contracts/failure';
import type { Dependencies } from './dependencies.ts';

const dayMs = 24 * 60 * 60 * 1000;

export type TraceQuota = ReturnType<typeof createTraceQuota>;

/**
 * Bounds the spans that are taken: by the bytes of an organization's day, which all processes count
 * together, and by the room on the database's disk.
 */
export function createTraceQuota({
  store,
  checkDisk,
  bytesPerDayMax,
  now,
}: Pick<Dependencies, 'store' | 'checkDisk' | 'bytesPerDayMax' | 'now'>) {
  return {
    /**
     * Counts bytes of spans before they are stored. Those that cannot be stored then stay counted.
     * @throws RATE_LIMITED with the seconds until the day ends, or SERVICE_UNAVAILABLE.
     */
    async take(organizationId: string, bytes: number): Promise<void> {
      await checkDisk();
      if (bytesPerDayMax === undefined) return;
      const at = now();
      const day = { bytes, bytesMax: bytesPerDayMax, at };
      if (await store.dailyBytes.add(organizationId, day)) return;
      throw new Failure(
        'RATE_LIMITED',
        `Your organization may send ${bytesPerDayMax.toLocaleString('en')} bytes of spans a day (of UTC), and these would be more. Sample your traces, or ask your operator for more.`,
        { retryAfterSeconds: Math.ceil((dayMs - (at.getTime() % dayMs)) / 1000) },
      );
    },
  };
}
