import { newId } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import type { Filter } from 'mongodb';
import { type Account, emptyAccount } from '../domain/accounts/score-states.ts';

/** The totals over a run's records. */
export interface RunCounts extends Account {
  records: number;
  /** The amount spent, in billionths of a US dollar: whole numbers add up exactly. */
  costNanoUsd: number;
  /** The judges' answers that came from the cache. */
  cachedAnswers: number;
  /** Grows with every change of the other counts. */
  changes: number;
}

/**
 * A share of a run's counts: no two transactions under way write the same one, in this process or
 * another, and the counts are the sum.
 */
type CounterDocument = RunCounts & {
  _id: string;
  organizationId: string;
  runId: string;
  /** Processes before 0.3.0 write none. */
  changedAt?: Date;
  /** The first change that the kept results of the run do not know; there until they do. */
  unreadSince?: Date;
};

/** A share of a run's counts, when it had changed so many times. */
export interface RunShare {
  id: string;
  changes: number;
}

const emptyCounts: RunCounts = {
  ...emptyAccount,
  records: 0,
  costNanoUsd: 0,
  cachedAnswers: 0,
  changes: 0,
};

/** The counts of runs, in shares that are summed when they are read. */
export function createRunCounts(database: Database) {
  const counters = database.collection<CounterDocument>('run_counters');
  const processId = newId();

  /** When the counts of each of these runs changed last, as far as it is known. */
  async function changesOf(organizationId: string, runIds: string[]): Promise<Map<string, Date>> {
    const latest = await counters
      .aggregate<{ _id: string; at: Date | null }>([
        { $match: { organizationId, runId: { $in: runIds } } },
        { $group: { _id: '$runId', at: { $max: '$changedAt' } } },
      ])
      .toArray();
    return new Map(latest.flatMap(({ _id, at }) => (at ? [[_id, at] as const] : [])));
  }

  return {
    /** Adds to a run's counts, in the transaction of the change that they count. */
    async count(
      organizationId: string,
      runId: string,
      change: Partial<Omit<RunCounts, 'changes'>>,
    ): Promise<void> {
      const at = new Date();
      await counters.updateOne(
        { _id: `${runId}:${processId}:${database.counterShard()}`, organizationId, runId },
        {
          $inc: { ...emptyCounts, ...change, changes: 1 } as never,
          $max: { changedAt: at },
          $min: { unreadSince: at },
        },
        { upsert: true },
      );
    },
    /** Records of an organization, in all of its runs. */
    async countRecords(organizationId: string): Promise<number> {
      const [sum] = await counters
        .aggregate<{ records: number }>([
          { $match: { organizationId } },
          { $group: { _id: null, records: { $sum: '$records' } } },
        ])
        .toArray();
      return sum?.records ?? 0;
    },
    changesOf,
    /** The counts of several runs, each exact. */
    async countsOf(organizationId: string, runIds: string[]): Promise<Map<string, RunCounts>> {
      const shares = await counters.find({ organizationId, runId: { $in: runIds } }).toArray();
      const sums = new Map(runIds.map((id) => [id, { ...emptyCounts }]));
      for (const share of shares) {
        const sum = sums.get(share.runId)!;
        for (const key of Object.keys(emptyCounts) as (keyof RunCounts)[])
          sum[key] += share[key] ?? 0;
      }
      return sums;
    },
    /** The organizations with runs whose kept results are older than a change before then. */
    organizationsUnread: (before: Date): Promise<string[]> =>
      organizationsWith(counters, { unreadSince: { $lt: before } }),

    /**
     * Runs whose kept results are older than a change, the longest first: those that are quiet since
     * `quietSince`, and those that wait since before `before` however often they change.
     */
    async listUnread(
      organizationId: string,
      { quietSince, before, limit }: { quietSince: Date; before: Date; limit: number },
    ): Promise<string[]> {
      const runsOf = async (filter: Filter<CounterDocument>) => {
        const shares = await counters
          .find({ organizationId, ...filter }, { projection: { runId: 1 } })
          .sort({ unreadSince: 1 })
          .limit(limit)
          .toArray();
        return shares.map(({ runId }) => runId);
      };
      const [waiting, quiet] = await Promise.all([
        runsOf({ unreadSince: { $lt: before } }),
        runsOf({ unreadSince: { $lt: quietSince }, changedAt: { $not: { $gte: quietSince } } }),
      ]);
      // One of its shares may be quiet while another changes.
      const changes = await changesOf(organizationId, quiet);
      const isQuiet = (runId: string) => (changes.get(runId) ?? quietSince) <= quietSince;
      return [...new Set([...waiting, ...quiet.filter(isQuiet)])];
    },
    /** A change of the run that comes from now on is one since `at`. */
    async beginReading(organizationId: string, runId: string, at: Date): Promise<void> {
      await counters.updateMany(
        { organizationId, runId, unreadSince: { $exists: true } },
        { $set: { unreadSince: at } },
      );
    },
    /** How often each share of a run's counts has changed. */
    async sharesOf(organizationId: string, runId: string): Promise<RunShare[]> {
      const shares = await counters
        .find({ organizationId, runId }, { projection: { changes: 1 } })
        .toArray();
      return shares.map(({ _id, changes }) => ({ id: _id, changes }));
    },
    /** The results that are kept know these changes: a share that changed since stays unread. */
    async endReading(organizationId: string, shares: readonly RunShare[]): Promise<void> {
      if (shares.length === 0) return;
      await counters.bulkWrite(
        shares.map(({ id, changes }) => ({
          updateOne: {
            filter: { _id: id, organizationId, changes },
            update: { $unset: { unreadSince: '' } },
          },
        })),
        { ordered: false },
      );
    },
    async deleteCounts(organizationId: string, runId: string): Promise<void> {
      await counters.deleteMany({ organizationId, runId });
    },
  };
}
