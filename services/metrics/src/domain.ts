import { payloadPlan } from '@assay/contracts/body-shape';
import type { catalog } from '@assay/contracts/catalog';
import type { Asks, Identity } from '@assay/contracts/define';
import { type Issue, invalid, invalidAt, notFound } from '@assay/contracts/failure';
import {
  type Metric,
  type MetricVersion,
  type MetricWarning,
  metricChange,
  metricCreation,
} from '@assay/contracts/metrics';
import type { WantedNames } from '@assay/contracts/names';
import type { Page, PageRequest } from '@assay/contracts/page';
import { escapeSegment } from '@assay/json/pointer';
import { type Adoption, adoptTemplate, type MovedField } from '@assay/judge-templates/adopt';
import { parseBody } from '@assay/runtime/http/body';
import { issuesOf } from '@assay/runtime/http/issues';
import type { z } from 'zod';
import { type Checks, collectIssues } from './checks.ts';
import { metricOfGuidelines } from './domain/guidelines.ts';
import { createMetricPart } from './domain/project-part.ts';
import {
  createRecordWarnings,
  fieldsOfProject,
  type TemplateReading,
} from './domain/record-warnings.ts';
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
  /** Tells which parts of the record a template reads. */
  reading: TemplateReading;
  newId: () => string;
  /** The model of an ai metric that names none. */
  judgeModel: string;
}

export type Domain = ReturnType<typeof createDomain>;

/** The rules of metrics and their versions (contract section 2). */
export function createDomain({
  store,
  ask,
  checks,
  warningsFor,
  reading,
  newId,
  judgeModel,
}: Dependencies) {
  const recordWarnings = createRecordWarnings({ reading });
  const fieldsOf = (identity: Identity, projectId: string) =>
    fieldsOfProject({ ask }, identity, projectId);

  async function checkProject(identity: Identity, projectId: string): Promise<void> {
    const { found } = await ask.catalog.project(identity, { projectId });
    if (!found) throw notFound('project', projectId);
  }

  async function metricOf({ organizationId }: Identity, id: string): Promise<StoredMetric> {
    const metric = await store.findMetric(organizationId, id);
    if (!metric) throw notFound('metric', id);
    return metric;
  }

  /** Checks a new metric, and returns how it scores and the warnings about it. */
  async function checkCreation(identity: Identity, body: MetricBody) {
    const scoring = scoringOf(body, { judgeModel });
    let warnings: MetricWarning[] = [];
    const issues = await collectIssues([
      () => checks.checkScale(scoring),
      () => checks.checkParts(body, scoring.subject),
      async () => {
        warnings = await warningsFor(identity, scoring);
      },
    ]);
    if (issues.length > 0) throw invalid(issues);
    return { scoring, warnings };
  }

  /** A version that is not kept, under an id of its own. */
  const unstored = (metric: Omit<StoredMetric, 'versionId'>): MetricVersion =>
    toVersion(versionOf({ ...metric, versionId: newId() }));

  /** Checks a change of a metric, and returns the warnings about the changed metric. */
  async function checkChange(
    identity: Identity,
    before: StoredMetric,
    change: MetricChange,
  ): Promise<MetricWarning[]> {
    const { scoring } = changedMetric(before, change);
    let warnings: MetricWarning[] = [];
    const issues = await collectIssues([
      () => checks.checkTypes(before.scoring, change),
      () => checks.checkScale(scoring),
      () => checks.checkParts(change, before.scoring.subject),
      async () => {
        warnings = await warningsFor(identity, scoring, before.scoring);
      },
    ]);
    if (issues.length > 0) throw invalid(issues);
    return warnings;
  }

  /** Checks a body as its operation would, but returns all that it is refused for. */
  async function checked<Body>(
    sent: unknown,
    read: { success: true; data: Body } | { success: false; error: z.ZodError },
    check: (body: Body) => Promise<Omit<CheckedVersion, 'issues'>>,
    before?: StoredMetric,
  ): Promise<CheckedVersion> {
    const refused = (issues: Issue[]) => ({ issues, warnings: [], version: null });
    if (!read.success) {
      const issues = issuesOf(read.error);
      return refused([...issues, ...(await checks.checkRefused(sent, issues, before?.scoring))]);
    }
    let found: Omit<CheckedVersion, 'issues'> = { warnings: [], version: null };
    const issues = await collectIssues([
      async () => {
        found = await check(read.data);
      },
    ]);
    return issues.length > 0 ? refused(issues) : { issues, ...found };
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

  async function createMetric(identity: Identity, projectId: string, body: MetricBody) {
    const { organizationId, userId } = identity;
    await checkProject(identity, projectId);
    const { scoring, warnings } = await checkCreation(identity, body);
    const { name, description = null } = body;
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
  }

  return {
    metricPart: createMetricPart({ store }),
    createMetric,
    /** Creates the metric that a ready-made judge makes: nothing of it refers to the template. */
    async adoptMetric(identity: Identity, projectId: string, adoption: Adoption) {
      const projectFields = await fieldsOf(identity, projectId);
      const adopted = adoptTemplate({ ...adoption, projectFields });
      if (!adopted.ok) throw invalid(adopted.issues);
      const body = metricCreation.parse(adopted.metric);
      const metric = await createMetric(identity, projectId, body);
      const scoring = scoringOf(body, { judgeModel });
      const remarks = await recordWarnings(scoring, async () => projectFields);
      const moved = adopted.moved.map(movedWarning);
      return withWarnings(metric, [...(metric.warnings ?? []), ...moved, ...remarks]);
    },
    /** The metric of these guidelines alone: it is found by its name, which is their beginning. */
    async metricOfGuidelines(identity: Identity, projectId: string, guidelines: string) {
      const body = metricOfGuidelines(guidelines);
      const found = await store.findNamed(identity.organizationId, projectId, body.name);
      const same = found.find(({ scoring }) => scoring.guidelines === guidelines);
      return { metricId: (same ?? (await createMetric(identity, projectId, body))).id };
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
    async changes({ organizationId }: Identity, from: string, to: string) {
      const [before, after] = await Promise.all(
        [from, to].map((id) => store.findVersion(organizationId, id)),
      );
      return { changes: before && after ? changesBetween(before.scoring, after.scoring) : [] };
    },
    async changedVersion(identity: Identity, id: string, change: MetricChange) {
      const metric = await metricOf(identity, id);
      await checkChange(identity, metric, change);
      return {
        projectId: metric.projectId,
        current: toVersion(versionOf(metric)),
        changed: unstored(changedMetric(metric, change)),
      };
    },
    /** Finds all faults for which a creation or a change would be refused, and warns of more. */
    async checkedVersion(
      identity: Identity,
      { projectId, metricId, body }: { projectId: string; metricId: string | null; body: string },
    ): Promise<CheckedVersion> {
      await checkProject(identity, projectId);
      const sent = parseBody(Buffer.from(body), bodyPlan);
      if (metricId === null)
        return checked(sent, metricCreation.safeParse(sent, asSent), async (creation) => {
          const { scoring, warnings } = await checkCreation(identity, creation);
          const { name, description = null } = creation;
          const metric = { id: newId(), projectId, name, description, scoring };
          const remarks = await recordWarnings(scoring, () => fieldsOf(identity, projectId));
          return { warnings: [...warnings, ...remarks], version: unstored(metric) };
        });
      const before = await store.findMetric(identity.organizationId, metricId);
      if (before?.projectId !== projectId)
        throw invalidAt('/metricId', 'does not belong to this project');
      const checkSent = async (change: MetricChange) => {
        const warnings = await checkChange(identity, before, change);
        const changed = changedMetric(before, change);
        const remarks = await recordWarnings(changed.scoring, () => fieldsOf(identity, projectId));
        return { warnings: [...warnings, ...remarks], version: unstored(changed) };
      };
      return checked(sent, metricChange.safeParse(sent, asSent), checkSent, before);
    },
    names: ({ organizationId }: Identity, wanted: WantedNames) =>
      store.names.find(organizationId, wanted),
    async forgetProject({ organizationId }: Identity, projectId: string) {
      await store.transaction(() => store.forgetProject(organizationId, projectId));
      return {};
    },
  };
}

/** Says which field of the project the judge reads, so that a wrong one is seen. */
const movedWarning = ({ field, from, to }: MovedField): MetricWarning => ({
  code: 'unknown_field',
  path: `/fields/${escapeSegment(field)}`,
  message: `No testset of the project has ${from}: the judge reads ${to}. Name another place in \`fields\` where that is wrong.`,
});

/** Where creations and changes have payloads. */
const bodyPlan = payloadPlan(metricCreation);

interface CheckedVersion {
  issues: Issue[];
  warnings: MetricWarning[];
  version: MetricVersion | null;
}

/** Faults tell what was sent in place of what they name. */
const asSent = { reportInput: true };

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
