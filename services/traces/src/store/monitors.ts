import type { Page, PageRequest } from '@assay/contracts/page';
import {
  activeMonitorsMax,
  type Monitor,
  type MonitorCounts,
  monitorDaysMax,
  noMonitorCounts,
} from '@assay/contracts/traces';
import { isThere } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';

export interface StoredMonitor extends Omit<Monitor, 'createdAt' | 'days' | 'isBudgetSpent'> {
  createdAt: Date;
  createdByUserId: string;
}

export interface MonitorDocument extends Omit<StoredMonitor, 'id'> {
  _id: string;
  organizationId: string;
  /** Belongs to a project that is being imported. */
  isArriving?: true;
}

export interface MonitorDay {
  day: string;
  runId: string | null;
  counts: MonitorCounts;
}

interface DayDocument extends Partial<MonitorCounts> {
  /** `<monitor>/<day>`. */
  _id: string;
  organizationId: string;
  monitorId: string;
  projectId: string;
  day: string;
  runId?: string | null;
}

interface HourDocument {
  /** `<monitor>/<hour>`. */
  _id: string;
  organizationId: string;
  taken: number;
  takenBefore: number;
  expiresAt: Date;
}

const hourMs = 60 * 60 * 1000;

/** Monitors, with their counts of each day. */
export function createMonitorStore(database: Database) {
  const projectLock = createProjectLock(database);
  const monitors = database.collection<MonitorDocument>('monitors');
  const days = database.collection<DayDocument>('monitor_days');
  const hours = database.collection<HourDocument>('monitor_hours');

  return {
    /**
     * Creates a monitor, or replaces it. Stores nothing where another one of the project has its
     * description, where it is not paused and `activeMonitorsMax` others are not paused either, or
     * where the project is deleted.
     */
    async save(
      organizationId: string,
      { id, ...monitor }: StoredMonitor,
    ): Promise<'saved' | 'taken' | 'too many' | 'project deleted'> {
      try {
        return await database.transaction(async () => {
          if (!(await projectLock.enter(organizationId, monitor.projectId, id)))
            return 'project deleted';
          if (!monitor.isPaused && (await isFull(organizationId, monitor.projectId, id)))
            return 'too many';
          const filter = { _id: id, organizationId };
          // Who made it is another since the monitor was read, where that person was mapped.
          const before = await monitors.findOne(filter, { projection: { createdByUserId: 1 } });
          const { createdByUserId } = before ?? monitor;
          await monitors.replaceOne(
            filter,
            { organizationId, ...monitor, createdByUserId },
            { upsert: true },
          );
          return 'saved';
        });
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken';
        throw error;
      }
    },

    async find(organizationId: string, id: string): Promise<StoredMonitor | undefined> {
      const found = await monitors.findOne({ _id: id, organizationId, ...isThere });
      return found ? toMonitor(found) : undefined;
    },

    async findDescribed(
      organizationId: string,
      projectId: string,
      description: string,
    ): Promise<StoredMonitor | undefined> {
      const found = await monitors.findOne({ organizationId, projectId, description });
      return found ? toMonitor(found) : undefined;
    },

    findEach(organizationId: string, ids: string[]): Promise<StoredMonitor[]> {
      return monitors
        .find({ _id: { $in: ids }, organizationId })
        .map(toMonitor)
        .toArray();
    },

    /** Returns the ids of the monitors of a project that are not paused. */
    findActive(organizationId: string, projectId: string): Promise<string[]> {
      return monitors
        .find({ organizationId, projectId, isPaused: false }, { projection: { _id: 1 } })
        .map(({ _id }) => _id)
        .toArray();
    },

    list(
      organizationId: string,
      projectId: string,
      page: PageRequest,
    ): Promise<Page<StoredMonitor>> {
      const filter = { organizationId, projectId };
      return findPage(monitors, { filter, page, order: 'newest first', toItem: toMonitor });
    },

    async delete(organizationId: string, id: string): Promise<boolean> {
      const { deletedCount } = await monitors.deleteOne({ _id: id, organizationId });
      await days.deleteMany({ organizationId, monitorId: id });
      return deletedCount === 1;
    },

    async setProblem(organizationId: string, id: string, problem: string | null): Promise<void> {
      await monitors.updateOne({ _id: id, organizationId }, { $set: { problem } });
    },

    /** Deletes the monitors of a project, and lets nobody make one in it any more. */
    async forgetProject(organizationId: string, projectId: string): Promise<void> {
      await database.transaction(() => projectLock.close(organizationId, projectId));
      await monitors.deleteMany({ organizationId, projectId });
      await days.deleteMany({ organizationId, projectId });
    },

    /** Returns the last days of each of these monitors, the newest first. */
    async daysOf(organizationId: string, monitorIds: string[]): Promise<Map<string, MonitorDay[]>> {
      const found = monitors.aggregate<{ _id: string; days: DayDocument[] }>([
        { $match: { _id: { $in: monitorIds }, organizationId } },
        {
          $lookup: {
            from: 'monitor_days',
            localField: '_id',
            foreignField: 'monitorId',
            pipeline: [
              { $match: { organizationId } },
              { $sort: { day: -1 } },
              { $limit: monitorDaysMax },
            ],
            as: 'days',
          },
        },
        { $project: { days: 1 } },
      ]);
      const days = await found.toArray();
      return new Map(days.map(({ _id, days }) => [_id, days.map(toDay)]));
    },

    /** Returns the runs of all days of a monitor. */
    async runsOf(organizationId: string, monitorId: string): Promise<Set<string>> {
      const found = await days
        .find({ organizationId, monitorId }, { projection: { runId: 1 } })
        .toArray();
      return new Set(found.flatMap(({ runId }) => runId ?? []));
    },

    /** Returns the run of a day; null before its first record. */
    async findRun(organizationId: string, monitorId: string, day: string): Promise<string | null> {
      const found = await days.findOne({ _id: `${monitorId}/${day}`, organizationId });
      return found?.runId ?? null;
    },

    /** Returns the run of a day: the one that is there, or `newRunId` from now on. */
    async runOfDay(
      organizationId: string,
      { id, projectId }: Pick<StoredMonitor, 'id' | 'projectId'>,
      { day, newRunId }: { day: string; newRunId: string },
    ): Promise<string> {
      const found = await days.findOneAndUpdate(
        { _id: `${id}/${day}`, organizationId },
        [{ $set: { ...dayOf(id, projectId, day), runId: { $ifNull: ['$runId', newRunId] } } }],
        { upsert: true, returnDocument: 'after' },
      );
      return found!.runId!;
    },

    /** Lets a day have another run in place of one that was deleted. */
    async forgetRun(organizationId: string, monitorId: string, runId: string): Promise<void> {
      await days.updateMany({ organizationId, monitorId, runId }, { $set: { runId: null } });
    },

    async addCounts(
      organizationId: string,
      { id, projectId }: Pick<StoredMonitor, 'id' | 'projectId'>,
      day: string,
      counts: MonitorCounts,
    ): Promise<void> {
      await days.updateOne(
        { _id: `${id}/${day}`, organizationId },
        { $setOnInsert: dayOf(id, projectId, day), $inc: counts },
        { upsert: true },
      );
    },

    /**
     * Takes places in an hour of the clock, as many of `wanted` as are left of `max`, and returns
     * what each of them is called.
     */
    async takePlaces(
      organizationId: string,
      monitorId: string,
      { now, wanted, max }: { now: Date; wanted: number; max: number },
    ): Promise<{ place: string; taken: number }> {
      const hour = Math.floor(now.getTime() / hourMs);
      const place = `${monitorId}/${hour}`;
      const taken = { $ifNull: ['$taken', 0] };
      const found = await hours.findOneAndUpdate(
        { _id: place, organizationId },
        [
          {
            $set: {
              organizationId,
              takenBefore: taken,
              taken: { $max: [taken, { $min: [max, { $add: [taken, wanted] }] }] },
              expiresAt: new Date((hour + 2) * hourMs),
            },
          },
        ],
        { upsert: true, returnDocument: 'after' },
      );
      return { place, taken: found!.taken - found!.takenBefore };
    },

    /** Gives places back for which nothing was recorded. */
    async givePlacesBack(organizationId: string, places: string[]): Promise<void> {
      for (const place of new Set(places)) {
        const taken = places.filter((each) => each === place).length;
        await hours.updateOne({ _id: place, organizationId }, { $inc: { taken: -taken } });
      }
    },
  };

  /** Are as many monitors of the project not paused as may be, this one left out? */
  async function isFull(organizationId: string, projectId: string, id: string) {
    const others = { organizationId, projectId, isPaused: false, _id: { $ne: id } };
    return (
      (await monitors.countDocuments(others, { limit: activeMonitorsMax })) === activeMonitorsMax
    );
  }
}

const dayOf = (monitorId: string, projectId: string, day: string) => ({
  monitorId,
  projectId,
  day,
});

export const toMonitor = ({
  _id: id,
  organizationId: _organizationId,
  isArriving: _isArriving,
  ...monitor
}: MonitorDocument): StoredMonitor => ({ id, ...monitor });

const toDay = ({ day, runId = null, ...counts }: DayDocument): MonitorDay => ({
  day,
  runId,
  counts: countsOf(counts),
});

const countsOf = ({
  _id,
  organizationId: _organizationId,
  monitorId: _monitorId,
  projectId: _projectId,
  ...counts
}: Omit<DayDocument, 'day' | 'runId'>): MonitorCounts => ({ ...noMonitorCounts, ...counts });
