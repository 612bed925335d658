import type { catalog } from '@assay/contracts/catalog';
import type { Asks, Identity } from '@assay/contracts/define';
import { invalid, notFound } from '@assay/contracts/failure';
import type { PageRequest } from '@assay/contracts/page';
import type { Store, StoredGroup } from './store.ts';

interface Dependencies {
  store: Store;
  ask: { catalog: Asks<typeof catalog> };
  newId: () => string;
  now: () => Date;
}

export type Groups = ReturnType<typeof createGroups>;

/**
 * The rules of metric groups (contract section 2). A metric that is sent twice is in the group
 * once.
 */
export function createGroups({ store, ask, newId, now }: Dependencies) {
  async function checkProject(identity: Identity, projectId: string): Promise<void> {
    const { found } = await ask.catalog.project(identity, { projectId });
    if (!found) throw notFound('project', projectId);
  }

  async function groupOf({ organizationId }: Identity, id: string): Promise<StoredGroup> {
    const group = await store.findGroup(organizationId, id);
    if (!group) throw notFound('metric group', id);
    return group;
  }

  /** The metrics are claimed, so that none is deleted meanwhile and stays in the group. */
  async function checkMembers(
    { organizationId }: Identity,
    projectId: string,
    metricIds: string[],
  ): Promise<string[]> {
    const found = new Set(await store.claimMetrics(organizationId, projectId, metricIds));
    const missing = metricIds.flatMap((id, index) => (found.has(id) ? [] : [index]));
    if (missing.length > 0)
      throw invalid(
        missing.map((index) => ({
          path: `/metricIds/${index}`,
          message: 'must be a metric of the project',
        })),
      );
    return [...new Set(metricIds)];
  }

  return {
    async createGroup(
      identity: Identity,
      projectId: string,
      body: { name: string; description: string; metricIds: string[] },
    ) {
      const { organizationId } = identity;
      await checkProject(identity, projectId);
      const id = newId();
      return store.transaction(async () => {
        if (!(await store.enterProject(organizationId, projectId, id)))
          throw notFound('project', projectId);
        const metricIds = await checkMembers(identity, projectId, body.metricIds);
        const at = now().toISOString();
        const group = { id, projectId, ...body, metricIds, createdAt: at, updatedAt: at };
        await store.createGroup(organizationId, group);
        return group;
      });
    },
    async listGroups(identity: Identity, projectId: string, page: PageRequest) {
      await checkProject(identity, projectId);
      return store.listGroups(identity.organizationId, projectId, page);
    },
    getGroup: groupOf,
    async updateGroup(
      identity: Identity,
      id: string,
      change: { name?: string; description?: string; metricIds?: string[] },
    ) {
      return store.transaction(async () => {
        const before = await groupOf(identity, id);
        const metricIds = change.metricIds
          ? await checkMembers(identity, before.projectId, change.metricIds)
          : before.metricIds;
        const changed = { ...before, ...change, metricIds, updatedAt: now().toISOString() };
        await store.updateGroup(identity.organizationId, changed);
        return changed;
      });
    },
    async deleteGroup({ organizationId }: Identity, id: string) {
      if (!(await store.deleteGroup(organizationId, id))) throw notFound('metric group', id);
      return { success: true as const };
    },
  };
}
