import type { Identity, Request } from '@assay/contracts/define';
import { conflict, type Failure, invalid, invalidAt, notFound } from '@assay/contracts/failure';
import type { WantedNames } from '@assay/contracts/names';
import type { Page, PageRequest } from '@assay/contracts/page';
import { activeMonitorsMax, type Monitor, type traces } from '@assay/contracts/traces';
import type { StoredMonitor } from '../store.ts';
import { createAnswerMemory } from './answer-memory.ts';
import type { Dependencies } from './dependencies.ts';
import { createMonitorPreviews } from './monitor-previews.ts';
import type { Projects } from './projects.ts';
import type { StoredSpans } from './stored-spans.ts';

type Operations = (typeof traces)['operations'];
type SavedBody = Request<Operations['saveMonitor']>['body'];
type ChangeBody = Request<Operations['updateMonitor']>['body'];
type PreviewBody = Request<Operations['previewMonitor']>['body'];
type BackfillBody = Request<Operations['backfillMonitor']>['body'];
type Settings = Omit<ChangeBody, 'description' | 'metricIds'>;

const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const knownMax = 10_000;
/** Traces settle by the hundred in a second, and monitors rarely change. */
const knownMs = 5000;

export type Monitors = ReturnType<typeof createMonitors>;

/** The rules of monitors, but for their work on traces. */
export function createMonitors({
  store,
  ask,
  newId,
  now,
  projects,
  matchingContentsOf,
}: Pick<Dependencies, 'store' | 'ask' | 'newId' | 'now'> &
  Pick<StoredSpans, 'matchingContentsOf'> & { projects: Projects }) {
  const previews = createMonitorPreviews({ store, ask, now, matchingContentsOf });
  const active = createAnswerMemory<string[]>({ max: knownMax, ttl: knownMs });
  const keyOf = (organizationId: string, projectId: string) => `${organizationId}/${projectId}`;

  async function monitorOf({ organizationId }: Identity, id: string): Promise<StoredMonitor> {
    const monitor = await store.monitors.find(organizationId, id);
    if (!monitor) throw notFound('monitor', id);
    return monitor;
  }

  /** Monitors are read while run-records does not answer, too: then it is not known. */
  async function spentAmong(identity: Identity, runIds: string[]): Promise<string[] | undefined> {
    if (runIds.length === 0) return [];
    return ask['run-records'].runsOfSpentBudgets(identity, { runIds }).then(
      (reply) => reply.runIds,
      () => undefined,
    );
  }

  async function toReplies(identity: Identity, monitors: StoredMonitor[]): Promise<Monitor[]> {
    const ids = monitors.map(({ id }) => id);
    const days = await store.monitors.daysOf(identity.organizationId, ids);
    const lastRunOf = ({ id, budgetUsdPerDay }: StoredMonitor) =>
      budgetUsdPerDay === null ? null : (days.get(id)?.[0]?.runId ?? null);
    const lastRuns = monitors.map(lastRunOf);
    const spent = await spentAmong(
      identity,
      lastRuns.filter((runId) => runId !== null),
    );
    return monitors.map(({ createdAt, createdByUserId: _createdByUserId, ...monitor }, at) => {
      const lastRun = lastRuns[at] ?? null;
      return {
        ...monitor,
        createdAt: createdAt.toISOString(),
        isBudgetSpent: lastRun === null ? false : (spent?.includes(lastRun) ?? null),
        days: days.get(monitor.id) ?? [],
      };
    });
  }

  const toReply = async (identity: Identity, monitor: StoredMonitor): Promise<Monitor> =>
    (await toReplies(identity, [monitor]))[0]!;

  /** @throws VALIDATION_ERROR with the place of each id that is no metric of the project. */
  async function checkMetrics(
    identity: Identity,
    projectId: string,
    metricIds: string[],
    path: string,
  ): Promise<void> {
    const { missing } = await ask.metrics.currentVersions(identity, { projectId, metricIds });
    if (missing.length > 0)
      throw invalid(
        missing.map((id) => ({
          path: `${path}/${metricIds.indexOf(id)}`,
          message: 'does not belong to this project',
        })),
      );
  }

  /** The ids that are named, and of texts those of the metrics that they become. */
  async function metricsOf(
    identity: Identity,
    projectId: string,
    named: string[],
  ): Promise<string[]> {
    const ids = named.filter((name) => idForm.test(name));
    await checkMetrics(identity, projectId, ids, '/metrics');
    const metricIds: string[] = [];
    for (const name of named)
      metricIds.push(
        idForm.test(name)
          ? name
          : (await ask.metrics.metricOfGuidelines(identity, { projectId, guidelines: name }))
              .metricId,
      );
    return [...new Set(metricIds)];
  }

  /** Undefined where another monitor has the description. */
  async function save(identity: Identity, monitor: StoredMonitor): Promise<Monitor | undefined> {
    const { organizationId } = identity;
    const { projectId } = monitor;
    const outcome = await store.monitors.save(organizationId, monitor);
    if (outcome === 'project deleted') throw notFound('project', projectId);
    if (outcome === 'taken') return undefined;
    if (outcome === 'too many')
      throw conflict(
        `A project has at most ${activeMonitorsMax} monitors that are not paused: pause or delete another first.`,
      );
    active.forget(keyOf(organizationId, projectId));
    return toReply(identity, monitor);
  }

  return {
    /** By the description: creates it, or changes it. */
    async save(
      identity: Identity,
      projectId: string,
      { description, metrics, ...settings }: SavedBody,
    ): Promise<Monitor> {
      const { organizationId, userId: createdByUserId } = identity;
      if (!(await projects.isThere(identity, projectId))) throw notFound('project', projectId);
      const metricIds = await metricsOf(identity, projectId, metrics);
      const find = () => store.monitors.findDescribed(organizationId, projectId, description);
      const own = { id: newId(), projectId, description, createdAt: now(), createdByUserId };
      const changed = (there: StoredMonitor | undefined): StoredMonitor => ({
        ...withSettings(there ?? { ...own, ...defaults }, settings),
        metricIds,
      });
      // Another request may have made it between the two.
      const saved =
        (await save(identity, changed(await find()))) ??
        (await save(identity, changed(await find())));
      if (!saved) throw taken();
      return saved;
    },

    async list(identity: Identity, projectId: string, page: PageRequest): Promise<Page<Monitor>> {
      if (!(await projects.isThere(identity, projectId))) throw notFound('project', projectId);
      const { items, next } = await store.monitors.list(identity.organizationId, projectId, page);
      return { items: await toReplies(identity, items), next };
    },

    names: ({ organizationId }: Identity, wanted: WantedNames) =>
      store.monitorNames.find(organizationId, wanted),

    get: async (identity: Identity, id: string): Promise<Monitor> =>
      toReply(identity, await monitorOf(identity, id)),

    async update(
      identity: Identity,
      id: string,
      { description, metricIds, ...settings }: ChangeBody,
    ): Promise<Monitor> {
      const monitor = await monitorOf(identity, id);
      if (metricIds) await checkMetrics(identity, monitor.projectId, metricIds, '/metricIds');
      const saved = await save(identity, {
        ...withSettings(monitor, settings),
        ...(description === undefined ? {} : { description }),
        ...(metricIds === undefined ? {} : { metricIds: [...new Set(metricIds)] }),
      });
      if (!saved) throw taken();
      return saved;
    },

    async delete(identity: Identity, id: string) {
      const { projectId } = await monitorOf(identity, id);
      if (!(await store.monitors.delete(identity.organizationId, id)))
        throw notFound('monitor', id);
      active.forget(keyOf(identity.organizationId, projectId));
      return { success: true as const };
    },

    async backfill(identity: Identity, id: string, { from, to, dryRun = false }: BackfillBody) {
      const monitor = await monitorOf(identity, id);
      const time = { from: Date.parse(from), to: Date.parse(to) };
      const counted = await previews.ofBackfill(identity, monitor, time);
      if (dryRun) return counted;
      const { organizationId } = identity;
      const traces = await store.askedTraces.openAgain(organizationId, monitor.projectId, {
        monitorId: id,
        ...time,
        now: now(),
      });
      return { ...counted, traces };
    },

    /** @throws VALIDATION_ERROR where `monitorId` is no monitor of the project. */
    async preview(identity: Identity, projectId: string, body: PreviewBody) {
      if (!(await projects.isThere(identity, projectId))) throw notFound('project', projectId);
      const { monitorId } = body;
      if (monitorId !== undefined) {
        const monitor = await store.monitors.find(identity.organizationId, monitorId);
        if (monitor?.projectId !== projectId)
          throw invalidAt('/monitorId', 'does not belong to this project');
      }
      return previews.ofLastHour(identity, projectId, body);
    },

    /** The monitors that are asked about the traces of a project; remembered for some seconds. */
    activeOf: (organizationId: string, projectId: string): Promise<string[]> =>
      active.ask(keyOf(organizationId, projectId), () =>
        store.monitors.findActive(organizationId, projectId),
      ),

    async forgetProject(organizationId: string, projectId: string): Promise<void> {
      await store.monitors.forgetProject(organizationId, projectId);
      active.forget(keyOf(organizationId, projectId));
    },
  };
}

const taken = (): Failure => conflict('Another monitor of the project has this description.');

const defaults = {
  metricIds: [],
  filter: {},
  sampleRate: 1,
  sampleBy: 'trace' as const,
  maxPerHour: null,
  budgetUsdPerDay: null,
  select: 'trace',
  isPaused: false,
  problem: null,
};

/** A monitor with the settings that are given. */
const withSettings = (monitor: StoredMonitor, settings: Settings): StoredMonitor => ({
  ...monitor,
  ...(Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as Partial<StoredMonitor>),
});
