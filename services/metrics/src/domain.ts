import type { catalog } from '@assay/contracts/catalog';
import type { Asks, Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { Metric, MetricWarning } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Checks } from './checks.ts';
import {
  changedMetric,
  changesBetween,
  isSameScoring,
  type MetricBody,
  type MetricChange,
  type StoredMetric,
  type StoredVersion,
  scoringOf,
  toConfig,
  toOutline,
  toReply,
  toVersion,
  versionOf,
} from './metric-definition.ts';
import type { Store } from './store.ts';
import type { WarningsFor } from './warnings.ts';

interface Dependencies {
  store: Store;
  ask: { catalog: Asks<typeof catalog> };
  checks: Checks;
  warningsFor: WarningsFor;
  newId: () => string;
  /** The model of an ai metric that names none. */
  judgeModel: string;
}

export type Domain = ReturnType<typeof createDomain>;

/** The rules of metrics and their versions (contract section 2). */
export function createDomain({ store, ask, checks, warningsFor, newId, judgeModel }: Dependencies) {
  async function checkProject(identity: Identity, projectId: string): Promise<void> {
    const { found } = await ask.catalog.project(identity, { projectId });
    if (!found) throw notFound('project', projectId);
  }

  async function metricOf({ organizationId }: Identity, id: string): Promise<StoredMetric> {
    const metric = await store.findMetric(organizationId, id);
    if (!metric) throw notFound('metric', id);
    return metric;
  }

  /** Checks a change of a metric, and returns the warnings about the changed metric. */
  async function checkChange(
    identity: Identity,
    before: StoredMetric,
    change: MetricChange,
  ): Promise<MetricWarning[]> {
    checks.checkTypes(before.scoring, change);
    await checks.checkParts(change);
    return warningsFor(identity, changedMetric(before, change).scoring, before.scoring);
  }

  /** Keeps a changed metric; a new version where it scores in another way. */
  async function keepChange(
    { organizationId, userId }: Identity,
    before: StoredMetric,
    after: StoredMetric,
  ): Promise<StoredMetric> {
    const isNew = !isSameScoring(before.scoring, after.scoring);
    const changed = isNew ? { ...after, versionId: newId() } : after;
    await store.updateMetric(organizationId, changed);
    if (changed.name !== before.name)
      await store.renameVersions(organizationId, changed.id, changed.name);
    if (isNew)
      await store.createVersion(organizationId, {
        ...versionOf(changed),
        createdByUserId: userId,
      });
    return changed;
  }

  return {
    async createMetric(identity: Identity, projectId: string, body: MetricBody) {
      const { organizationId, userId } = identity;
      await checkProject(identity, projectId);
      await checks.checkParts(body);
      const { name, description = null } = body;
      const scoring = scoringOf(body, { judgeModel });
      const warnings = await warningsFor(identity, scoring);
      const metric = { id: newId(), projectId, name, description, versionId: newId(), scoring };
      await store.transaction(async () => {
        if (!(await store.enterProject(organizationId, projectId, metric.id)))
          throw notFound('project', projectId);
        await store.createMetric(organizationId, metric);
        await store.createVersion(organizationId, {
          ...versionOf(metric),
          createdByUserId: userId,
        });
      });
      return withWarnings(toReply(metric), warnings);
    },
    async listMetrics(identity: Identity, projectId: string, page: PageRequest) {
      await checkProject(identity, projectId);
      const { items, next } = await store.listMetrics(identity.organizationId, projectId, page);
      return { items: items.map(toReply), next };
    },
    async getMetric(identity: Identity, id: string) {
      return toReply(await metricOf(identity, id));
    },
    /** Newest first. A page reads one version more than it shows: the one before its last. */
    async listVersions(identity: Identity, metricId: string, page: PageRequest) {
      await metricOf(identity, metricId);
      const { items } = await store.listVersions(identity.organizationId, metricId, {
        ...page,
        limit: page.limit + 1,
      });
      const shown = items.slice(0, page.limit);
      return {
        items: shown.map((version, index) => toVersionReply(version, items[index + 1])),
        next: items.length > page.limit ? shown.at(-1)!.id : null,
      } satisfies Page<unknown>;
    },
    async updateMetric(identity: Identity, id: string, change: MetricChange) {
      const warnings = await checkChange(identity, await metricOf(identity, id), change);
      return store.transaction(async () => {
        const before = await metricOf(identity, id);
        return withWarnings(
          toReply(await keepChange(identity, before, changedMetric(before, change))),
          warnings,
        );
      });
    },
    /** Its versions stay: runs go on naming them. */
    async deleteMetric({ organizationId }: Identity, id: string) {
      await store.transaction(async () => {
        if (!(await store.deleteMetric(organizationId, id))) throw notFound('metric', id);
        await store.leaveGroups(organizationId, id);
      });
      return { success: true as const };
    },

    async currentVersions(
      { organizationId }: Identity,
      projectId: string | null,
      metricIds: string[],
    ) {
      const found = await store.findMetrics(organizationId, projectId, metricIds);
      const metricById = new Map(found.map((metric) => [metric.id, metric]));
      const versions = metricIds.flatMap((id) => {
        const metric = metricById.get(id);
        return metric ? [toOutline(versionOf(metric))] : [];
      });
      return { versions, missing: metricIds.filter((id) => !metricById.has(id)) };
    },
    async version({ organizationId }: Identity, id: string) {
      const version = await store.findVersion(organizationId, id);
      return { version: version ? toVersion(version) : null };
    },
    /** The changed version has an id of its own, under which nothing is kept. */
    async changedVersion(identity: Identity, id: string, change: MetricChange) {
      const metric = await metricOf(identity, id);
      await checkChange(identity, metric, change);
      const changed = { ...changedMetric(metric, change), versionId: newId() };
      return {
        projectId: metric.projectId,
        current: toVersion(versionOf(metric)),
        changed: toVersion(versionOf(changed)),
      };
    },
    async forgetProject({ organizationId }: Identity, projectId: string) {
      await store.transaction(() => store.forgetProject(organizationId, projectId));
      return {};
    },
  };
}

const toVersionReply = (
  { id, metricId, scoring, createdAt, createdByUserId }: StoredVersion & { createdAt: Date },
  before: StoredVersion | undefined,
) => ({
  id,
  metricId,
  createdAt: createdAt.toISOString(),
  createdByUserId: createdByUserId ?? null,
  changes: before ? changesBetween(before.scoring, scoring) : [],
  config: toConfig(scoring),
});

const withWarnings = (metric: Metric, warnings: MetricWarning[]): Metric =>
  warnings.length > 0 ? { ...metric, warnings } : metric;
