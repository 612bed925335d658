import type { Identity, Request } from '@assay/contracts/define';
import { Failure, type Issue, invalid, notFound } from '@assay/contracts/failure';
import {
  type Run,
  type RunWarning,
  runExpired,
  type runRecords,
} from '@assay/contracts/run-records';
import type { Envelope } from '../../store/record.ts';
import type { RunCounts } from '../../store/run-counts.ts';
import type { StoredRun } from '../../store/runs.ts';
import { usdOf } from '../accounts/money.ts';
import { statusOf } from '../accounts/status.ts';
import type { Dependencies } from '../dependencies.ts';
import { judgesOfPairs } from './judges-of-pairs.ts';
import { labelsOf, labelTexts } from './labels.ts';
import { stoppingIssues, stoppingOf, stoppingReply } from './new-stopping.ts';
import { findPart, issuesWithoutTestset, partReply } from './run-part.ts';
import { waitingForOf } from './waiting-for.ts';

type RunBody = Request<(typeof runRecords)['operations']['createRun']>['body'];

export type Runs = ReturnType<typeof createRuns>;

export function createRuns({
  store,
  ask,
  newId,
  now,
}: Pick<Dependencies, 'store' | 'ask' | 'newId' | 'now'>) {
  /** A run to be shown, which may have expired. */
  async function shownRunOf({ organizationId }: Identity, id: string): Promise<StoredRun> {
    const run = await store.runs.find(organizationId, id, { withExpired: true });
    if (!run) throw notFound('run', id);
    return run;
  }

  /**
   * A run to be used: one that is about to expire stays for now. The one place that refuses
   * requests which need the records of an expired run.
   * @throws CONFLICT where it has expired.
   */
  async function runOf(identity: Identity, id: string): Promise<StoredRun> {
    const run = await shownRunOf(identity, id);
    if (run.expired) throw runExpired(run.expired.at.toISOString());
    if (!run.closingAt || (await store.runs.reopen(identity.organizationId, id))) return run;
    return runOf(identity, id);
  }

  /** The same, and nothing of a run that is not there. */
  const findRun = (identity: Identity, id: string): Promise<StoredRun | undefined> =>
    runOf(identity, id).catch(unlessMissing);

  /** A record with its run: one whose run is hidden is not there either. */
  async function recordOf(
    identity: Identity,
    id: string,
  ): Promise<{ record: Envelope; run: StoredRun }> {
    const record = await store.records.findEnvelope(identity.organizationId, id);
    const run = record && (await store.runs.find(identity.organizationId, record.runId));
    if (!record || !run) throw notFound('record', id);
    if (run.closingAt && !(await store.runs.reopen(identity.organizationId, run.id)))
      throw notFound('record', id);
    return { record, run };
  }

  /**
   * Looks up each object that the body refers to, at the service that owns it. Reports the missing
   * ones with their place in the body.
   */
  async function resolve(identity: Identity, projectId: string, body: RunBody) {
    const { metricIds, testsetId, systemVersionId, repeats, compareWith } = body;
    const wanted = [...new Set(metricIds)];
    const [project, testset, system, metrics, count, baseline] = await Promise.all([
      ask.catalog.project(identity, { projectId }),
      testsetId == null ? undefined : ask.catalog.testset(identity, { testsetId }),
      systemVersionId == null
        ? undefined
        : ask.systems.systemVersion(identity, { systemVersionId }),
      wanted.length === 0
        ? { versions: [], missing: [] }
        : ask.metrics.currentVersions(identity, { projectId, metricIds: wanted }),
      testsetId == null ? null : ask.testcases.count(identity, { testsetId }),
      compareWith === undefined ? undefined : findRun(identity, compareWith),
    ]);
    if (!project.found) throw notFound('project', projectId);
    const issues: Issue[] = metrics.missing.map((id) => ({
      path: `/metricIds/${metricIds.indexOf(id)}`,
      message: 'does not belong to this project',
    }));
    issues.push(...judgesOfPairs(metrics.versions, metricIds));
    if (testset && !(testset.outcome === 'found' && testset.testset.projectId === projectId))
      issues.push({ path: '/testsetId', message: 'does not belong to this project' });
    if (system && !(system.outcome === 'found' && system.projectId === projectId))
      issues.push({ path: '/systemVersionId', message: 'is no system version of this project' });
    if (testsetId == null && repeats > 1)
      issues.push({ path: '/repeats', message: 'needs a testset, whose testcases are repeated' });
    issues.push(
      ...stoppingIssues({
        body,
        projectId,
        baseline,
        metrics: metrics.versions,
        count: count?.count ?? null,
      }),
    );
    if (testsetId == null) issues.push(...issuesWithoutTestset(body));
    if (issues.length > 0) throw invalid(issues);
    const found = count && (await findPart({ ask }, identity, { body, count: count.count }));
    if (found?.kind === 'wrong') throw invalid(found.issues);
    const part = found?.kind === 'part' ? found.part : undefined;
    return {
      baseline,
      metrics: metrics.versions,
      systemId: system?.outcome === 'found' ? system.systemId : null,
      part,
      count: part?.numTestcases ?? count?.count ?? null,
    };
  }

  async function toReplies({ organizationId }: Identity, runs: StoredRun[]): Promise<Run[]> {
    const counts = await store.runs.countsOf(
      organizationId,
      runs.map(({ id }) => id),
    );
    return runs.map((run) => toReply(run, run.expired?.counts ?? counts.get(run.id)!));
  }

  return {
    shownRunOf,
    runOf,
    findRun,
    recordOf,
    async create(
      identity: Identity,
      projectId: string,
      body: RunBody,
      { id = newId(), source = 'API' }: { id?: string; source?: Run['source'] } = {},
    ): Promise<Run> {
      const { metrics, systemId, part, count, baseline } = await resolve(identity, projectId, body);
      const run: StoredRun = {
        id,
        projectId,
        testsetId: body.testsetId ?? null,
        systemId,
        systemVersionId: body.systemVersionId ?? null,
        metrics,
        numExpectedRecords: count === null ? null : count * body.repeats,
        ...(part ? { part } : {}),
        ...(body.repeats === 1 ? {} : { repeats: body.repeats }),
        source,
        createdAt: now(),
        createdByUserId: identity.userId,
        name: body.name ?? null,
        labels: labelTexts(body.labels ?? {}),
        budgetUsd: body.budgetUsd ?? null,
        cache: body.cache,
        isPaused: false,
        ...stoppingOf({ body, runId: id, baseline, metrics }),
      };
      const created = await store.transaction(() =>
        store.runs.create(identity.organizationId, run),
      );
      if (!created) throw notFound('project', projectId);
      const reply = (await toReplies(identity, [run]))[0]!;
      return metrics.length === 0 ? { ...reply, warnings: [noMetrics] } : reply;
    },
    async get(identity: Identity, id: string): Promise<Run> {
      const run = await shownRunOf(identity, id);
      const reply = (await toReplies(identity, [run]))[0]!;
      if (reply.scoring.pending === 0) return reply;
      const waitingFor = await waitingForOf({ ask }, identity, run.metrics);
      return waitingFor.length > 0 ? { ...reply, waitingFor } : reply;
    },
    /** The testset of a run, for other services. */
    async testsetOf({ organizationId }: Identity, id: string) {
      const find = () => store.runs.find(organizationId, id, { withExpired: true });
      let run = await find();
      // Whoever asks may be about to name it, as the baseline of its testset.
      if (run?.closingAt && !(await store.runs.reopen(organizationId, id))) run = await find();
      if (!run) return { outcome: 'missing' as const };
      const expiredAt = run.expired?.at.toISOString();
      return {
        outcome: 'found' as const,
        testsetId: run.testsetId,
        ...(expiredAt === undefined ? {} : { expiredAt }),
      };
    },
    toReplies,
    /** The progress that event streams send, and the number of its changes so far. */
    async progress(identity: Identity, id: string) {
      const run = await shownRunOf(identity, id);
      const counts =
        run.expired?.counts ?? (await store.runs.countsOf(identity.organizationId, [id])).get(id)!;
      const { status, numRecords, numExpectedRecords, scoring, costUsd, cachedAnswers } = toReply(
        run,
        counts,
      );
      const account = {
        ...scoring,
        status,
        numRecords,
        numExpectedRecords,
        costUsd,
        cachedAnswers,
      };
      // Nothing comes to an expired run any more.
      const isCompleted = status === 'completed' || run.expired !== undefined;
      return { changes: counts.changes, isCompleted, account };
    },
  };
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'NOT_FOUND') return undefined;
  throw error;
}

const noMetrics: RunWarning = {
  code: 'no_metrics',
  path: '/metricIds',
  message: 'The run has no metrics, so its records get no scores.',
};

function toReply(run: StoredRun, counts: RunCounts): Run {
  const { records, pending, awaited, scored, stopped, costNanoUsd, cachedAnswers } = counts;
  return {
    id: run.id,
    testsetId: run.testsetId,
    systemId: run.systemId,
    systemVersionId: run.systemVersionId,
    metricIds: [...new Set(run.metrics.map(({ metricId }) => metricId))],
    metricVersionIds: run.metrics.map(({ metricVersionId }) => metricVersionId),
    ...(run.name === null ? {} : { name: run.name }),
    ...(run.labels.length === 0 ? {} : { labels: labelsOf(run.labels) }),
    createdByUserId: run.createdByUserId,
    numRecords: records,
    numExpectedRecords: run.numExpectedRecords,
    ...partReply(run),
    repeats: run.repeats ?? 1,
    numScores: scored,
    status: statusOf({
      records,
      expectedRecords: run.numExpectedRecords,
      pending,
      awaited,
      settled: settledOf(counts),
    }),
    source: run.source,
    createdAt: run.createdAt.toISOString(),
    scoring: scoringOf(counts),
    costUsd: usdOf(costNanoUsd),
    cache: run.cache,
    cachedAnswers,
    budgetUsd: run.budgetUsd,
    isPaused: run.isPaused,
    ...(run.expired ? { expiredAt: run.expired.at.toISOString() } : {}),
    ...(run.stopping ? stoppingReply(run.stopping, stopped) : {}),
  };
}

/** Scores that are made, and that will not be made. */
const settledOf = ({ scored, failed, stopped, errored, invalid, notApplicable }: RunCounts) =>
  scored + failed + stopped + errored + invalid + notApplicable;

/** The account of a run's scores; the rarer states are left out where there are none. */
function scoringOf(counts: RunCounts): Run['scoring'] {
  const { scored, failed, pending, awaited, errored, notApplicable, invalid, stopped } = counts;
  return {
    expected: settledOf(counts) + pending + awaited,
    scored,
    failed,
    pending: pending + awaited,
    ...(errored > 0 ? { errored } : {}),
    ...(notApplicable > 0 ? { notApplicable } : {}),
    ...(invalid > 0 ? { invalid } : {}),
    ...(stopped > 0 ? { stopped } : {}),
  };
}
