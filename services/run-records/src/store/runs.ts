import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { AnswerCache, Run } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import { endOfOrder } from '../domain/accounts/judge-order.ts';
import { createRunCounts, type RunCounts } from './run-counts.ts';
import { createRunList } from './run-list.ts';

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
  /** The last change of the run's own fields; that of its records and scores is in its counts. */
  changedAt?: Date;
  /** The run is due to expire since then, unless it is used once more. */
  closingAt?: Date;
  /** There from its expiry on: its records are gone, or going. */
  expired?: ExpiredRun;
}

/** A run that has expired, as it is kept. */
export interface ExpiredRun {
  at: Date;
  counts: RunCounts;
  /** Its results as JSON text, as `POST /run-summaries` gave them. */
  results: string;
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
  /** The records of an expired run are being removed. */
  isClearing?: true;
};

/** The `deletedAt` of a run that is being imported: it is hidden, and nothing removes it. */
export const arrivingUntil = new Date('9999-12-31T00:00:00.000Z');

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(database: Database) {
  const runs = database.collection<RunDocument>('runs');
  const projectLock = createProjectLock(database);
  /** Expired runs are there, too, though not for those who need their records. */
  const isThere = { deletedAt: { $exists: false } };
  const hasRecords = { ...isThere, expired: { $exists: false } };

  /** Several at once, in the order asked, whosever they are. */
  async function findEach(
    wanted: { organizationId: string; id: string }[],
    { withExpired = false }: { withExpired?: boolean } = {},
  ): Promise<(StoredRun | undefined)[]> {
    if (wanted.length === 0) return [];
    const documents = await runs
      .find({
        _id: { $in: [...new Set(wanted.map(({ id }) => id))] },
        ...(withExpired ? isThere : hasRecords),
      })
      .toArray();
    const found = new Map(
      documents.map((document) => [`${document.organizationId}/${document._id}`, toRun(document)]),
    );
    return wanted.map(({ organizationId, id }) => found.get(`${organizationId}/${id}`));
  }

  /** Ends the closing of a run that is used. False where it has expired, or is gone. */
  async function reopen(organizationId: string, id: string): Promise<boolean> {
    const { matchedCount } = await runs.updateOne(
      { _id: id, organizationId, ...hasRecords },
      { $unset: { closingAt: '' } },
    );
    return matchedCount === 1;
  }

  return {
    /** False when the project was deleted meanwhile. Inside a transaction. */
    async create(organizationId: string, { id, ...run }: StoredRun): Promise<boolean> {
      if (!(await projectLock.enter(organizationId, run.projectId, id))) return false;
      const lookAt = run.stopping ? { lookAt: new Date() } : {};
      await runs.insertOne({ _id: id, organizationId, ...run, ...lookAt });
      return true;
    },

    /** Expired runs are found where they are wanted, too. */
    async find(
      organizationId: string,
      id: string,
      { withExpired = false }: { withExpired?: boolean } = {},
    ): Promise<StoredRun | undefined> {
      const wanted = withExpired ? isThere : hasRecords;
      const document = await runs.findOne({ _id: id, organizationId, ...wanted });
      return document ? toRun(document) : undefined;
    },

    /**
     * Says by one read whether a run has this id: a hidden one is deleted, or being imported, or has
     * expired.
     */
    async stateOf(organizationId: string, id: string): Promise<'there' | 'hidden' | 'none'> {
      const found = await runs.findOne(
        { _id: id, organizationId },
        { projection: { deletedAt: 1, 'expired.at': 1 } },
      );
      if (!found) return 'none';
      return found.deletedAt === undefined && !found.expired ? 'there' : 'hidden';
    },

    findEach,
    reopen,

    ...createRunList(runs, { isThere, toItem: toRun }),

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

    async update(
      organizationId: string,
      id: string,
      change: Partial<Pick<StoredRun, 'budgetUsd' | 'isPaused' | 'labels' | 'name'>>,
    ): Promise<void> {
      // A $set of nothing is an error to MongoDB, so the organization is set to itself.
      await runs.updateOne(
        { _id: id, organizationId, ...hasRecords },
        { $set: { organizationId, ...change, changedAt: new Date() } },
      );
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

    ...createRunCounts(database),
  };
}

/** Runs of 0.1.0 know nothing of names, budgets, the cache, pauses, models and annotators. */
export function toRun({
  _id,
  organizationId: _organizationId,
  deletedAt: _deletedAt,
  lookAt: _lookAt,
  isClearing: _isClearing,
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
