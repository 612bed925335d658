import { type AuthorMove, authorFields } from '@assay/contracts/project-file';
import { isThere, missingOf } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { moveAuthors } from '@assay/runtime/mongo/move-authors';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import type { StoredMetric, StoredVersion } from '../metric-definition.ts';
import {
  fromDocument,
  type GroupDocument,
  type MetricDocument,
  type StoredGroup,
  toMetric,
  type VersionDocument,
  withWholeScoring,
} from './metric.ts';

export interface AddedPart {
  metrics: StoredMetric[];
  versions: StoredVersion[];
  groups: StoredGroup[];
}

/** The metrics of whole projects that are exported or imported. */
export function createPartStore(database: Database) {
  const projectLock = createProjectLock(database);
  const metrics = database.collection<MetricDocument>('metrics');
  const versions = database.collection<VersionDocument>('versions');
  const groups = database.collection<GroupDocument>('groups');

  const hidden = <Item extends { id: string }>(organizationId: string, { id, ...item }: Item) => ({
    _id: id,
    organizationId,
    ...item,
    isArriving: true as const,
  });

  return {
    async *listMetrics(organizationId: string, projectId: string): AsyncGenerator<StoredMetric> {
      for await (const document of metrics
        .find({ organizationId, projectId, ...isThere })
        .sort({ _id: 1 }))
        yield toMetric(document)!;
    },
    async *listVersions(organizationId: string, projectId: string): AsyncGenerator<StoredVersion> {
      for await (const document of versions
        .find({ organizationId, projectId, ...isThere })
        .sort({ _id: 1 }))
        yield withWholeScoring(fromDocument<StoredVersion>(document));
    },
    async *listGroups(organizationId: string, projectId: string): AsyncGenerator<StoredGroup> {
      for await (const document of groups
        .find({ organizationId, projectId, ...isThere })
        .sort({ _id: 1 }))
        yield fromDocument<StoredGroup>(document);
    },

    /** Stores the missing ones, hidden. False if the project was deleted. */
    add(organizationId: string, projectId: string, added: AddedPart): Promise<boolean> {
      return database.transaction(async () => {
        if (!(await projectLock.enter(organizationId, projectId, projectId))) return false;
        const scope = { organizationId };
        const newMetrics = await missingOf(metrics, scope, added.metrics);
        const newVersions = await missingOf(versions, scope, added.versions);
        const newGroups = await missingOf(groups, scope, added.groups);
        if (newMetrics.length > 0)
          await metrics.insertMany(
            newMetrics.map((metric) => ({ ...hidden(organizationId, metric), touches: 0 })),
          );
        if (newVersions.length > 0)
          await versions.insertMany(newVersions.map((version) => hidden(organizationId, version)));
        if (newGroups.length > 0)
          await groups.insertMany(newGroups.map((group) => hidden(organizationId, group)));
        return true;
      });
    },
    moveAuthor: (organizationId: string, { projectId, ...move }: AuthorMove): Promise<void> =>
      moveAuthors(versions, { organizationId, projectId }, authorFields.metricVersion, move),
    async reveal(organizationId: string, projectId: string): Promise<void> {
      const filter = { organizationId, projectId, isArriving: true as const };
      const update = { $unset: { isArriving: '' as const } };
      await database.transaction(async () => {
        await metrics.updateMany(filter, update);
        await versions.updateMany(filter, update);
        await groups.updateMany(filter, update);
      });
    },
  };
}
