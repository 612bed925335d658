import { newId } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
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
};

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

  return {
    /** Adds to a run's counts, in the transaction of the change that they count. */
    async count(
      organizationId: string,
      runId: string,
      change: Partial<Omit<RunCounts, 'changes'>>,
    ): Promise<void> {
      await counters.updateOne(
        { _id: `${runId}:${processId}:${database.counterShard()}`, organizationId, runId },
        {
          $inc: { ...emptyCounts, ...change, changes: 1 } as never,
          $max: { changedAt: new Date() },
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
    /** When the counts of each of these runs changed last, as far as it is known. */
    async changesOf(organizationId: string, runIds: string[]): Promise<Map<string, Date>> {
      const latest = await counters
        .aggregate<{ _id: string; at: Date | null }>([
          { $match: { organizationId, runId: { $in: runIds } } },
          { $group: { _id: '$runId', at: { $max: '$changedAt' } } },
        ])
        .toArray();
      return new Map(latest.flatMap(({ _id, at }) => (at ? [[_id, at] as const] : [])));
    },
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
    async deleteCounts(organizationId: string, runId: string): Promise<void> {
      await counters.deleteMany({ organizationId, runId });
    },
  };
}
