import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Run } from '@assay/contracts/run-records';
import { newId } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import type { Hint } from 'mongodb';
import { type Account, emptyAccount } from '../domain/accounts/score-states.ts';

export interface StoredRun {
  id: string;
  projectId: string;
  testsetId: string | null;
  systemId: string | null;
  systemVersionId: string | null;
  metrics: MetricVersionOutline[];
  numExpectedRecords: number | null;
  source: Run['source'];
  createdAt: Date;
  budgetUsd: number | null;
  isPaused: boolean;
}

type RunDocument = Omit<StoredRun, 'id'> & {
  _id: string;
  organizationId: string;
  deletedAt?: Date;
};

/** The totals over a run's records. */
export interface RunCounts extends Account {
  records: number;
  /** The amount spent, in billionths of a US dollar: whole numbers add up exactly. */
  costNanoUsd: number;
  /** Grows with every change of the other counts. */
  changes: number;
}

/**
 * A share of a run's counts: no two transactions under way write the same one, in this process or
 * another, and the counts are the sum.
 */
type CounterDocument = RunCounts & { _id: string; organizationId: string; runId: string };

const emptyCounts: RunCounts = { ...emptyAccount, records: 0, costNanoUsd: 0, changes: 0 };

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(database: Database) {
  const runs = database.collection<RunDocument>('runs');
  const counters = database.collection<CounterDocument>('run_counters');
  const projectLock = createProjectLock(database);
  const processId = newId();
  const isThere = { deletedAt: { $exists: false } };

  return {
    /** False when the project was deleted meanwhile. Inside a transaction. */
    async create(organizationId: string, { id, ...run }: StoredRun): Promise<boolean> {
      if (!(await projectLock.enter(organizationId, run.projectId, id))) return false;
      await runs.insertOne({ _id: id, organizationId, ...run });
      return true;
    },

    async find(organizationId: string, id: string): Promise<StoredRun | undefined> {
      const document = await runs.findOne({ _id: id, organizationId, ...isThere });
      return document ? toRun(document) : undefined;
    },

    /** Several at once, in the order asked, whosever they are. */
    async findEach(
      wanted: { organizationId: string; id: string }[],
    ): Promise<(StoredRun | undefined)[]> {
      if (wanted.length === 0) return [];
      const documents = await runs
        .find({ _id: { $in: [...new Set(wanted.map(({ id }) => id))] }, ...isThere })
        .toArray();
      const found = new Map(
        documents.map((document) => [
          `${document.organizationId}/${document._id}`,
          toRun(document),
        ]),
      );
      return wanted.map(({ organizationId, id }) => found.get(`${organizationId}/${id}`));
    },

    list(
      organizationId: string,
      {
        projectId,
        source,
        page,
      }: { projectId: string; source: Run['source'] | undefined; page: PageRequest },
    ): Promise<Page<StoredRun>> {
      const filter = { organizationId, projectId, ...(source ? { source } : {}), ...isThere };
      const hint: Hint = {
        organizationId: 1,
        projectId: 1,
        ...(source ? { source: 1 } : {}),
        _id: -1,
      };
      return findPage(runs, { filter, hint, page, order: 'newest first', toItem: toRun });
    },

    async addMetrics(
      organizationId: string,
      id: string,
      metrics: MetricVersionOutline[],
    ): Promise<void> {
      for (const metric of metrics) {
        await runs.updateOne(
          { _id: id, organizationId, 'metrics.metricVersionId': { $ne: metric.metricVersionId } },
          { $push: { metrics: metric } },
        );
      }
    },

    /**
     * A hidden run is not there for anybody; it is removed afterwards. False when it was not there
     * before.
     */
    async hide(organizationId: string, id: string, deletedAt: Date): Promise<boolean> {
      const { modifiedCount } = await runs.updateOne(
        { _id: id, organizationId, ...isThere },
        { $set: { deletedAt } },
      );
      return modifiedCount === 1;
    },
    /** Hides all runs of a project, and those that would still come. Inside a transaction. */
    async hideOfProject(organizationId: string, projectId: string, deletedAt: Date): Promise<void> {
      await projectLock.close(organizationId, projectId);
      await runs.updateMany({ organizationId, projectId, ...isThere }, { $set: { deletedAt } });
    },
    async deleteCounts(organizationId: string, runId: string): Promise<void> {
      await counters.deleteMany({ organizationId, runId });
    },

    async update(
      organizationId: string,
      id: string,
      change: Partial<Pick<StoredRun, 'budgetUsd' | 'isPaused'>>,
    ): Promise<void> {
      await runs.updateOne({ _id: id, organizationId }, { $set: change });
    },

    /** Adds to a run's counts, in the transaction of the change that they count. */
    async count(
      organizationId: string,
      runId: string,
      change: Partial<Omit<RunCounts, 'changes'>>,
    ): Promise<void> {
      await counters.updateOne(
        { _id: `${runId}:${processId}:${database.counterShard()}`, organizationId, runId },
        { $inc: { ...emptyCounts, ...change, changes: 1 } as never },
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
  };
}

/** Runs of 0.1.0 know nothing of budgets, pauses, models and annotators. */
function toRun({
  _id,
  organizationId: _organizationId,
  deletedAt: _deletedAt,
  metrics,
  ...run
}: RunDocument): StoredRun {
  return {
    id: _id,
    ...run,
    budgetUsd: run.budgetUsd ?? null,
    isPaused: run.isPaused ?? false,
    metrics: metrics.map((metric) => ({
      ...metric,
      evalModelName: metric.evalModelName ?? null,
      annotators: metric.annotators ?? 1,
    })),
  };
}
