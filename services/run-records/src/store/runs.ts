import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { AnswerCache, Run } from '@assay/contracts/run-records';
import { newId } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import type { Hint } from 'mongodb';
import { endOfOrder } from '../domain/accounts/judge-order.ts';
import { type Account, emptyAccount } from '../domain/accounts/score-states.ts';

/** A filter that an index of the runs answers. */
export interface IndexedFilter {
  field: 'createdByUserId' | 'labels' | 'source' | 'systemVersionId' | 'testsetId';
  value: string;
}

export interface StoredRun {
  id: string;
  projectId: string;
  testsetId: string | null;
  systemId: string | null;
  systemVersionId: string | null;
  metrics: MetricVersionOutline[];
  numExpectedRecords: number | null;
  /** Missing in runs over all of their testset, and in those without one. */
  part?: RunPart;
  /** Missing in runs of which each testcase has one record. */
  repeats?: number;
  source: Run['source'];
  createdAt: Date;
  /** Null for runs of 0.1.0. */
  createdByUserId: string | null;
  name: string | null;
  /** As `key:value`. */
  labels: string[];
  budgetUsd: number | null;
  cache: AnswerCache;
  isPaused: boolean;
  /** Of a run that may stop early. */
  stopping?: Stopping;
}

/** The part of a testset that a run is about, as it was when the run began. */
export interface RunPart {
  numTestcases: number;
  /** The testcases of the testset. */
  of: number;
  /** Pointers into the data of testcases with their values, as JSON text. */
  where?: string;
  keys?: string[];
}

/** The progress of a run that may stop early. */
export interface Stopping {
  compareWith: string;
  /** The metric that decides. */
  metricId: string;
  level: number;
  futility: boolean;
  /** Hashed with the ids of testcases: makes their order. */
  orderId: string;
  /** Judges are asked about testcases up to this place in the order; '' is before all of them. */
  judgedTo: string;
  decision?: {
    outcome: 'better' | 'worse' | 'undecided';
    reason: 'decided' | 'futile' | 'all_judged' | 'not_comparable';
    at: Date;
    pairs: number;
  };
}

export type RunDocument = Omit<StoredRun, 'id'> & {
  _id: string;
  organizationId: string;
  deletedAt?: Date;
  /** When a run that may stop early is looked at again; there until nothing is left to do. */
  lookAt?: Date;
};

/** The `deletedAt` of a run that is being imported: it is hidden, and nothing removes it. */
export const arrivingUntil = new Date('9999-12-31T00:00:00.000Z');

/** How many runs that pass a filter are looked at to tell how rare it is. */
const sampleRuns = 100;

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
type CounterDocument = RunCounts & { _id: string; organizationId: string; runId: string };

const emptyCounts: RunCounts = {
  ...emptyAccount,
  records: 0,
  costNanoUsd: 0,
  cachedAnswers: 0,
  changes: 0,
};

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
      const lookAt = run.stopping ? { lookAt: new Date() } : {};
      await runs.insertOne({ _id: id, organizationId, ...run, ...lookAt });
      return true;
    },

    async find(organizationId: string, id: string): Promise<StoredRun | undefined> {
      const document = await runs.findOne({ _id: id, organizationId, ...isThere });
      return document ? toRun(document) : undefined;
    },

    /** Says by one read whether a run has this id: a hidden one is deleted, or being imported. */
    async stateOf(organizationId: string, id: string): Promise<'there' | 'hidden' | 'none'> {
      const found = await runs.findOne(
        { _id: id, organizationId },
        { projection: { deletedAt: 1 } },
      );
      if (!found) return 'none';
      return found.deletedAt === undefined ? 'there' : 'hidden';
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
        filter,
        page,
      }: { projectId: string; filter: IndexedFilter | undefined; page: PageRequest },
    ): Promise<Page<StoredRun>> {
      return findPage(runs, {
        filter: { organizationId, ...conditionOf(projectId, filter), ...isThere },
        hint: indexOf(filter),
        page,
        order: 'newest first',
        toItem: toRun,
      });
    },

    /**
     * The one of several filters that the fewest runs pass from here on: the one whose next
     * `sampleRuns` runs reach back the farthest. Undefined of none.
     */
    async rarest(
      organizationId: string,
      {
        projectId,
        filters,
        after,
      }: { projectId: string; filters: IndexedFilter[]; after: string | undefined },
    ): Promise<IndexedFilter | undefined> {
      if (filters.length < 2) return filters[0];
      const reaches = await Promise.all(
        filters.map(async (filter) => {
          const [farthest] = await runs
            .find(
              {
                organizationId,
                ...conditionOf(projectId, filter),
                ...(after === undefined ? {} : { _id: { $lt: after } }),
              },
              { projection: { _id: 1 }, hint: indexOf(filter) },
            )
            .sort({ _id: -1 })
            .skip(sampleRuns - 1)
            .limit(1)
            .toArray();
          return { filter, runId: farthest?._id ?? '' };
        }),
      );
      return reaches.reduce((a, b) => (b.runId < a.runId ? b : a)).filter;
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
    /**
     * Hides all runs of a project, also of one that is being imported, and those that would still
     * come. Inside a transaction.
     */
    async hideOfProject(organizationId: string, projectId: string, deletedAt: Date): Promise<void> {
      await projectLock.close(organizationId, projectId);
      await runs.updateMany(
        { organizationId, projectId, $or: [isThere, { deletedAt: arrivingUntil }] },
        { $set: { deletedAt } },
      );
    },
    async deleteCounts(organizationId: string, runId: string): Promise<void> {
      await counters.deleteMany({ organizationId, runId });
    },

    async update(
      organizationId: string,
      id: string,
      change: Partial<Pick<StoredRun, 'budgetUsd' | 'isPaused' | 'labels' | 'name'>>,
    ): Promise<void> {
      // A $set of nothing is an error to MongoDB, so the organization is set to itself.
      await runs.updateOne({ _id: id, organizationId }, { $set: { organizationId, ...change } });
    },

    /**
     * Moves a run on in the order of its testcases, or ends its looks. False when another process
     * did so before.
     */
    async moveOn(
      organizationId: string,
      id: string,
      { from, to, decision }: { from: string; to: string; decision?: Stopping['decision'] },
    ): Promise<boolean> {
      const { modifiedCount } = await runs.updateOne(
        {
          _id: id,
          organizationId,
          'stopping.judgedTo': from,
          'stopping.decision': { $exists: false },
        },
        {
          $set: {
            'stopping.judgedTo': to,
            ...(decision ? { 'stopping.decision': decision } : {}),
          },
        },
      );
      return modifiedCount === 1;
    },
    /** Lets judges be asked about all testcases of a run whose looks have ended. */
    async judgeAll(organizationId: string, id: string): Promise<void> {
      await runs.updateOne(
        { _id: id, organizationId, 'stopping.decision': { $exists: true } },
        { $set: { 'stopping.judgedTo': endOfOrder } },
      );
    },
    /** Nothing is left to do for a run whose looks have ended. */
    async endLooks(organizationId: string, id: string): Promise<void> {
      await runs.updateOne(
        { _id: id, organizationId, 'stopping.decision': { $exists: true } },
        { $unset: { lookAt: '' } },
      );
    },
    /** Organizations with runs that are to be looked at since before then. */
    dueLookOrganizations: ({ before, next }: { before: Date; next: Date }): Promise<string[]> =>
      organizationsWith(
        runs,
        { lookAt: { $lt: before }, ...isThere },
        { lookAt: { $gt: next }, ...isThere },
      ),

    /**
     * Returns the ids of an organization's runs to be looked at, the longest waiting first, and of
     * those that are put off beyond all that may be, since the clock was set back; each is put off.
     */
    async takeDueLooks(
      organizationId: string,
      { before, next, limit }: { before: Date; next: Date; limit: number },
    ): Promise<string[]> {
      const due = await runs
        .find(
          {
            organizationId,
            $or: [{ lookAt: { $lt: before } }, { lookAt: { $gt: next } }],
            ...isThere,
          },
          { projection: { _id: 1 } },
        )
        .sort({ lookAt: 1 })
        .limit(limit)
        .toArray();
      const ids = due.map(({ _id }) => _id);
      await runs.updateMany(
        { _id: { $in: ids }, organizationId, lookAt: { $exists: true } },
        { $set: { lookAt: next } },
      );
      return ids;
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

const conditionOf = (projectId: string, filter: IndexedFilter | undefined) => ({
  projectId,
  ...(filter ? { [filter.field]: filter.value } : {}),
});

const indexOf = (filter: IndexedFilter | undefined): Hint => ({
  organizationId: 1,
  projectId: 1,
  ...(filter ? { [filter.field]: 1 } : {}),
  _id: -1,
});

/** Runs of 0.1.0 know nothing of names, budgets, the cache, pauses, models and annotators. */
export function toRun({
  _id,
  organizationId: _organizationId,
  deletedAt: _deletedAt,
  lookAt: _lookAt,
  metrics,
  ...run
}: RunDocument): StoredRun {
  return {
    id: _id,
    ...run,
    createdByUserId: run.createdByUserId ?? null,
    name: run.name ?? null,
    labels: run.labels ?? [],
    budgetUsd: run.budgetUsd ?? null,
    cache: run.cache ?? 'use',
    isPaused: run.isPaused ?? false,
    metrics: metrics.map((metric) => ({
      ...metric,
      evalModelName: metric.evalModelName ?? null,
      annotators: metric.annotators ?? 1,
    })),
  };
}
