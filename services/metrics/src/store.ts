import type { Page, PageRequest } from '@assay/contracts/page';
import { instantOf } from '@assay/runtime/ids';
import { isThere } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import type { StoredMetric, StoredVersion } from './metric-definition.ts';
import {
  fromDocument,
  type GroupDocument,
  type MetricDocument,
  type StoredGroup,
  toMetric,
  type VersionDocument,
  withWholeScoring,
} from './store/metric.ts';
import { createNameStore } from './store/names.ts';
import { createPartStore } from './store/project-part.ts';

export type { StoredGroup } from './store/metric.ts';

export type Store = ReturnType<typeof createStore>;

/**
 * The collections of metrics, their versions and their groups. Documents of other organizations are
 * never found.
 */
export function createStore(database: Database) {
  const projectLock = createProjectLock(database);
  const metrics = database.collection<MetricDocument>('metrics');
  const versions = database.collection<VersionDocument>('versions');
  const groups = database.collection<GroupDocument>('groups');

  return {
    transaction: database.transaction,
    parts: createPartStore(database),
    names: createNameStore(database),

    /**
     * Ensures that the project's deletion does not miss the resource created under this id. Returns
     * false if the project is deleted.
     */
    enterProject: projectLock.enter,
    /** Deletes all that is in a project, and lets nothing be made in it from now on. */
    async forgetProject(organizationId: string, projectId: string): Promise<void> {
      await projectLock.close(organizationId, projectId);
      await metrics.deleteMany({ organizationId, projectId });
      await versions.deleteMany({ organizationId, projectId });
      await groups.deleteMany({ organizationId, projectId });
    },

    async createMetric(organizationId: string, { id, ...metric }: StoredMetric): Promise<void> {
      await metrics.insertOne({ _id: id, organizationId, ...metric, touches: 0 });
    },
    async findMetric(organizationId: string, id: string): Promise<StoredMetric | undefined> {
      return toMetric(await metrics.findOne({ _id: id, organizationId, ...isThere }));
    },
    async findMetrics(
      organizationId: string,
      projectId: string | null,
      ids: string[],
    ): Promise<StoredMetric[]> {
      return (
        await metrics
          .find({
            _id: { $in: ids },
            organizationId,
            ...(projectId === null ? {} : { projectId }),
            ...isThere,
          })
          .toArray()
      ).map((document) => toMetric(document)!);
    },
    async findNamed(
      organizationId: string,
      projectId: string,
      name: string,
    ): Promise<StoredMetric[]> {
      const found = await metrics.find({ organizationId, projectId, name, ...isThere }).toArray();
      return found.map((document) => toMetric(document)!);
    },
    listMetrics(
      organizationId: string,
      projectId: string,
      page: PageRequest,
    ): Promise<Page<StoredMetric>> {
      const filter = { organizationId, projectId };
      return findPage(metrics, {
        filter,
        page,
        order: 'newest first',
        toItem: (document) => toMetric(document)!,
      });
    },
    /**
     * Which of these are metrics of the project. They and this transaction are then safe from each
     * other's deletion.
     */
    async claimMetrics(
      organizationId: string,
      projectId: string,
      ids: string[],
    ): Promise<string[]> {
      const filter = { _id: { $in: ids }, organizationId, projectId };
      await metrics.updateMany(filter, { $inc: { touches: 1 } });
      return (await metrics.find(filter, { projection: { _id: 1 } }).toArray()).map(
        ({ _id }) => _id,
      );
    },
    async updateMetric(organizationId: string, { id, ...metric }: StoredMetric): Promise<void> {
      await metrics.updateOne({ _id: id, organizationId }, { $set: metric, $inc: { touches: 1 } });
    },
    async deleteMetric(organizationId: string, id: string): Promise<boolean> {
      return (await metrics.deleteOne({ _id: id, organizationId, ...isThere })).deletedCount === 1;
    },

    async createVersion(organizationId: string, { id, ...version }: StoredVersion): Promise<void> {
      await versions.insertOne({ _id: id, organizationId, ...version });
    },
    async findVersion(organizationId: string, id: string): Promise<StoredVersion | undefined> {
      const document = await versions.findOne({ _id: id, organizationId, ...isThere });
      return document ? withWholeScoring(fromDocument<StoredVersion>(document)) : undefined;
    },
    /** Newest first; an id tells when its version was made. */
    listVersions(
      organizationId: string,
      metricId: string,
      page: PageRequest,
    ): Promise<Page<StoredVersion & { createdAt: Date }>> {
      return findPage(versions, {
        filter: { organizationId, metricId },
        page,
        order: 'newest first',
        hint: { organizationId: 1, metricId: 1, _id: 1 },
        toItem: (document) => ({
          ...withWholeScoring(fromDocument<StoredVersion>(document)),
          createdAt: instantOf(document._id),
        }),
      });
    },
    async renameVersions(organizationId: string, metricId: string, name: string): Promise<void> {
      await versions.updateMany({ organizationId, metricId }, { $set: { name } });
    },

    async createGroup(organizationId: string, { id, ...group }: StoredGroup): Promise<void> {
      await groups.insertOne({ _id: id, organizationId, ...group });
    },
    async findGroup(organizationId: string, id: string): Promise<StoredGroup | undefined> {
      const document = await groups.findOne({ _id: id, organizationId, ...isThere });
      return document ? fromDocument<StoredGroup>(document) : undefined;
    },
    listGroups(
      organizationId: string,
      projectId: string,
      page: PageRequest,
    ): Promise<Page<StoredGroup>> {
      return findPage(groups, {
        filter: { organizationId, projectId },
        page,
        order: 'newest first',
        toItem: fromDocument<StoredGroup>,
      });
    },
    async updateGroup(organizationId: string, { id, ...group }: StoredGroup): Promise<void> {
      await groups.updateOne({ _id: id, organizationId }, { $set: group });
    },
    async leaveGroups(organizationId: string, metricId: string): Promise<void> {
      await groups.updateMany(
        { organizationId, metricIds: metricId },
        { $pull: { metricIds: metricId } },
      );
    },
    async deleteGroup(organizationId: string, id: string): Promise<boolean> {
      return (await groups.deleteOne({ _id: id, organizationId, ...isThere })).deletedCount === 1;
    },
  };
}
