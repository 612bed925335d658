import type { Identity } from '@assay/contracts/define';
import type { KeptReason } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long a project keeps runs, and those that others are compared with. */
export interface Retention {
  projectId: string;
  /** Runs whose last change is before then are old enough. */
  before: Date;
  baselineRunIds: ReadonlySet<string>;
}

/** `young`: the run has changed too lately to be looked at. */
export type Judgement = 'goes' | 'young' | KeptReason;

export type KeptRuns = ReturnType<typeof createKeptRuns>;

const dayMs = 86_400_000;

/** Decides which runs of a project expire: the one rule of the sweep and of the dry run. */
export function createKeptRuns({ store, ask, now }: Pick<Dependencies, 'store' | 'ask' | 'now'>) {
  const { expiry } = store;

  async function retentionOf(
    { organizationId }: Identity,
    {
      projectId,
      days,
      baselineRunIds,
    }: { projectId: string; days: number; baselineRunIds: string[] },
  ): Promise<Retention> {
    const compared = await expiry.comparedRunIds(organizationId, projectId);
    return {
      projectId,
      before: new Date(now().getTime() - days * dayMs),
      baselineRunIds: new Set([...baselineRunIds, ...compared]),
    };
  }

  async function lastChangeOf(organizationId: string, run: StoredRun): Promise<Date> {
    const { id, createdAt, changedAt } = run;
    const counted = (await store.runs.changesOf(organizationId, [id])).get(id);
    // Counts of earlier releases do not say when they changed.
    const recorded = await expiry.newestRecordAt(organizationId, id);
    const known = [createdAt, changedAt, counted, recorded].filter((at) => at !== undefined);
    return new Date(Math.max(...known.map((at) => at.getTime())));
  }

  async function isRunning(organizationId: string, run: StoredRun): Promise<boolean> {
    if (run.stopping && !run.stopping.decision) return true;
    const counts = await store.runs.countsOf(organizationId, [run.id]);
    return counts.get(run.id)!.pending > 0;
  }

  /** Links that a monitor made are none: every record of it has one. */
  const isLinked = async (organizationId: string, { id, source }: StoredRun): Promise<boolean> =>
    source !== 'Monitor' && (await expiry.hasLink(organizationId, id));

  async function judge(
    organizationId: string,
    run: StoredRun,
    { before, baselineRunIds }: Retention,
  ): Promise<Judgement> {
    if ((await lastChangeOf(organizationId, run)) >= before) return 'young';
    if (await isRunning(organizationId, run)) return 'running';
    if (baselineRunIds.has(run.id)) return 'baseline';
    if (await expiry.isLabelled(organizationId, run.id)) return 'labelled';
    if (await expiry.hasComment(organizationId, run.id)) return 'commented';
    if (await expiry.hasAnnotation(organizationId, run.id)) return 'annotated';
    if (await isLinked(organizationId, run)) return 'linked';
    return 'goes';
  }

  return {
    /** The retentions of the projects that have one; of one project, if it is named. */
    async retentions(identity: Identity, projectId?: string): Promise<Retention[]> {
      const { projects } = await ask.catalog.runRetention(
        identity,
        projectId === undefined ? {} : { projectId },
      );
      const found: Retention[] = [];
      for (const { days, ...project } of projects)
        if (days !== null) found.push(await retentionOf(identity, { ...project, days }));
      return found;
    },
    /** The retention that a project would have with so many days; undefined without the project. */
    async retentionWith(
      identity: Identity,
      projectId: string,
      days: number,
    ): Promise<Retention | undefined> {
      const [project] = (await ask.catalog.runRetention(identity, { projectId })).projects;
      return project && retentionOf(identity, { ...project, days });
    },
    judge,
  };
}
