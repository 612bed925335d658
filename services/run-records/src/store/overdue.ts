import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import type { RecordDocument } from './record.ts';

export interface OverdueTimes {
  /** Records that wait for their scores since before then are overdue. */
  before: Date;
  /** No record is put off so long: where one is, the clock was set back since. */
  beyond: Date;
}

/**
 * When records that wait for their scores are swept: published again, since their job may be lost.
 * Every record with pending scores has such a time.
 */
export function createOverdueRecords(
  database: Database,
  { sweepAfterMs }: { sweepAfterMs: number },
) {
  const records = database.collection<RecordDocument>('records');

  const overdueTimes = ({ before, beyond }: OverdueTimes) => [
    { $lt: before },
    { $gt: new Date(beyond.getTime() + sweepAfterMs) },
  ];

  /**
   * The sweep does not look at these records before then; with `metricVersionIds`, at those of
   * them that miss scores of no other metric versions.
   */
  async function putOff(
    organizationId: string,
    ids: string[],
    sweepAt: Date,
    metricVersionIds?: string[],
  ): Promise<void> {
    if (ids.length === 0) return;
    const others = metricVersionIds && {
      pending: { $not: { $elemMatch: { $nin: metricVersionIds } } },
    };
    await records.updateMany(
      { _id: { $in: ids }, organizationId, sweepAt: { $exists: true }, ...others },
      { $set: { sweepAt } },
    );
  }

  return {
    organizations: (times: OverdueTimes): Promise<string[]> =>
      organizationsWith(records, ...overdueTimes(times).map((sweepAt) => ({ sweepAt }))),

    /**
     * Returns overdue records of an organization, those that waited longest first. Each is put off,
     * so that another sweep passes it over.
     */
    async take(
      organizationId: string,
      { limit, ...times }: OverdueTimes & { limit: number },
    ): Promise<{ runId: string; id: string }[]> {
      const taken: { runId: string; id: string }[] = [];
      for (const sweepAt of overdueTimes(times)) {
        if (taken.length >= limit) break;
        const found = await records
          .find({ organizationId, sweepAt }, { projection: { runId: 1 } })
          .sort({ sweepAt: 1 })
          .limit(limit - taken.length)
          .toArray();
        taken.push(...found.map(({ _id, runId }) => ({ runId, id: _id })));
      }
      const ids = taken.map(({ id }) => id);
      await putOff(organizationId, ids, new Date(Date.now() + sweepAfterMs));
      return taken;
    },

    putOff,

    /**
     * How long ago the scoring job was published for which a record has waited longest: 0 where none
     * waits longer than the sweep allows. Records of paused runs are put off, and do not count.
     */
    async oldestSeconds(now: Date): Promise<number> {
      const sweepAt = { $lt: now };
      const organizationIds = await organizationsWith(records, { sweepAt });
      const oldest = await Promise.all(
        organizationIds.map((organizationId) =>
          records.findOne(
            { organizationId, sweepAt },
            { sort: { sweepAt: 1 }, projection: { sweepAt: 1 } },
          ),
        ),
      );
      const ages = oldest.flatMap((record) =>
        record?.sweepAt ? [now.getTime() - record.sweepAt.getTime() + sweepAfterMs] : [],
      );
      return Math.max(0, ...ages) / 1000;
    },
  };
}
