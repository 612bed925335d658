import type { Identity, StreamReply } from '@assay/contracts/define';
import { type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { KeptLabelDraw } from '@assay/contracts/run-records';
import { toLines } from '@assay/runtime/http/lines';
import type { StoredAssignment } from '../../store/record.ts';
import type { StoredRun } from '../../store/runs.ts';
import { withAsked } from '../accounts/joined-metrics.ts';
import { scoreStatesOf } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { assigneesMax } from '../records/assignees.ts';
import type { Change, Requeue } from '../runs/requeue.ts';
import type { Runs } from '../runs/runs.ts';

/** Records that are assigned in one transaction. */
const assignedAtOnceMax = 500;

/** A draw, with its records that are new. */
export interface NewDraw {
  draw: KeptLabelDraw;
  recordIds: { baseline: string[]; candidate: string[] };
  assigneeUserIds: string[];
}

/**
 * Keeps the draws of the results service, and has people score the drawn records (contract section
 * 3, Results).
 */
export function createLabelDraws({
  store,
  ask,
  newId,
  now,
  runs,
  requeue,
}: Pick<Dependencies, 'store' | 'ask' | 'newId' | 'now'> & { runs: Runs; requeue: Requeue }) {
  async function checkMembers(identity: Identity, userIds: string[]): Promise<void> {
    const members = await Promise.all(
      userIds.map((userId) => ask.identity.isMember(identity, { userId })),
    );
    const issues = members.flatMap(({ found }, index): Issue[] =>
      found
        ? []
        : [{ path: `/assigneeUserIds/${index}`, message: 'does not belong to this organization' }],
    );
    if (issues.length > 0) throw invalid(issues);
  }

  async function assign(
    { organizationId, userId: assignedByUserId }: Identity,
    runId: string,
    { ids, userIds }: { ids: string[]; userIds: string[] },
  ): Promise<void> {
    const createdAt = now();
    const change = (assignees: StoredAssignment[]) => {
      const missing = userIds.filter((id) => !assignees.some((one) => one.assigneeUserId === id));
      if (missing.length === 0) return undefined;
      if (assignees.length + missing.length > assigneesMax)
        throw invalidAt(
          '/assigneeUserIds',
          `would be more than the ${assigneesMax} assignees that a record has`,
        );
      const added = missing.map((assigneeUserId) => ({
        id: newId(),
        assigneeUserId,
        assignedByUserId,
        createdAt,
      }));
      return [...assignees, ...added];
    };
    for (let from = 0; from < ids.length; from += assignedAtOnceMax) {
      const some = ids.slice(from, from + assignedAtOnceMax);
      await store.transaction(() =>
        store.assignments.assign(organizationId, { runId, ids: some, change }),
      );
    }
  }

  /** Has people score records by the version of a human metric that their run has. */
  async function askFor(
    organizationId: string,
    run: StoredRun,
    { ids, metric }: { ids: string[]; metric: MetricVersionOutline },
  ): Promise<void> {
    const change: Change = (record) => {
      const before = scoreStatesOf(record);
      const states = withAsked(before, metric, run.metrics);
      return { queued: 0, awaited: 0, states: states === before ? undefined : states };
    };
    await requeue.queueChanged(organizationId, run, { batches: inOne(ids), change });
    await store.leases.open(organizationId, ids, [metric.metricVersionId]);
  }

  async function askPeople(
    identity: Identity,
    runId: string,
    { ids, userIds, metricId }: { ids: string[]; userIds: string[]; metricId: string },
  ): Promise<void> {
    const run = await runs.runOf(identity, runId);
    const metric = run.metrics.findLast((one) => one.metricId === metricId);
    if (!metric) throw invalidAt('/humanMetricId', 'is no human metric of both runs');
    // Assigned first: nobody else is offered a record in between.
    await assign(identity, runId, { ids, userIds });
    await askFor(identity.organizationId, run, { ids, metric });
  }

  return {
    list: (
      { organizationId }: Identity,
      filter: { runIds: string[]; metricId: string },
    ): StreamReply => ({
      contentType: 'application/x-ndjson',
      stream: toLines(store.labelDraws.list(organizationId, filter)),
    }),

    /**
     * People are asked first: a request that ends in between is repeated, draws the same testcases,
     * since their random numbers are permanent, and asks nobody twice.
     */
    async save(
      identity: Identity,
      { draw, recordIds, assigneeUserIds }: NewDraw,
    ): Promise<{ isKept: boolean }> {
      const { organizationId } = identity;
      const userIds = [...new Set(assigneeUserIds)];
      await checkMembers(identity, userIds);
      const kept = await store.labelDraws.versionOf(organizationId, draw);
      if (kept !== draw.version - 1) return { isKept: false };
      const asked = { userIds, metricId: draw.humanMetricId };
      await askPeople(identity, draw.baselineRunId, { ids: recordIds.baseline, ...asked });
      await askPeople(identity, draw.candidateRunId, { ids: recordIds.candidate, ...asked });
      return { isKept: await store.labelDraws.keep(organizationId, draw) };
    },
  };
}

async function* inOne(ids: string[]): AsyncIterable<string[]> {
  for (let from = 0; from < ids.length; from += assignedAtOnceMax)
    yield ids.slice(from, from + assignedAtOnceMax);
}
