import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { CountedUsage } from '@assay/contracts/limits';
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
  async function countWithin(
    organizationId: string,
    { bytes, bytesMax }: { bytes: number; bytesMax: number },
  ): Promise<void> {
    const at = now();
    if (await store.dailyBytes.addWithin(organizationId, { bytes, bytesMax, at })) return;
    throw new Failure(
      'RATE_LIMITED',
      `Your organization may send ${bytesMax.toLocaleString('en')} bytes of spans a day (of UTC), and these would be more. Sample your traces, or ask your operator for more.`,
      { retryAfterSeconds: Math.ceil(msUntilNextDay(at) / 1000) },
    );
  }

  return {
    async usage({ organizationId }: Identity): Promise<CountedUsage> {
      const at = now();
      return {
        used: await store.dailyBytes.sentOn(organizationId, at),
        installationLimit: bytesPerDayMax.installation ?? null,
        resetsAt: new Date(at.getTime() + msUntilNextDay(at)).toISOString(),
      };
    },

    /**
     * Counts bytes of spans, and stores them. Those that cannot be stored then stay counted.
     * @throws RATE_LIMITED with the seconds until the day ends, or SERVICE_UNAVAILABLE.
     */
    async within<Result>(
      organizationId: string,
      bytes: number,
      keep: () => Promise<Result>,
    ): Promise<Result> {
      await checkDisk();
      const bytesMax = await bytesPerDayMax.of(organizationId);
      if (bytesMax === undefined) {
        // Also without a limit: one may be set during the day, and everybody may see the usage.
        store.dailyBytes.add(organizationId, { bytes, at: now() });
      } else {
        await countWithin(organizationId, { bytes, bytesMax });
      }
      return keep();
    },
  };
}

const msUntilNextDay = (at: Date): number => dayMs - (at.getTime() % dayMs);
