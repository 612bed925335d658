import type { Identity } from '@assay/contracts/define';
import { invalid } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Run } from '@assay/contracts/run-records';
import type { Envelope } from '../store/record.ts';
import type { StoredRun } from '../store/runs.ts';
import { type Cells, cellsOf, type FailedCell, withFailure, withPending } from './cells.ts';
import type { Dependencies } from './dependencies.ts';
import { isSpent } from './money.ts';
import type { Runs } from './runs.ts';

/** Records changed in one transaction, and told to the scoring service in one job. */
const batch = 500;

type Change = (record: Envelope) => { cells: Cells; queued: number } | undefined;

export type Rescoring = ReturnType<typeof createRescoring>;

export function createRescoring({
  store,
  ask,
  now,
  queueScoring,
  runs,
}: Pick<Dependencies, 'store' | 'ask' | 'now' | 'queueScoring'> & { runs: Runs }) {
  /** Changes records batch by batch and queues each batch as it is committed: how many scores will be made. */
  async function queue(
    organizationId: string,
    run: StoredRun,
    { batches, change, retriedAt }: { batches: AsyncIterable<string[]>; change: Change; retriedAt?: Date | undefined },
  ): Promise<number> {
    const runId = run.id;
    let queued = 0;
    for await (const ids of batches) {
      // By record, because the change runs again when its transaction does.
      const queuedOf = new Map<string, number>();
      const changed = await store.records.changeCells(organizationId, {
        run,
        ids,
        change: (record) => {
          const changed = change(record);
          queuedOf.set(record.id, changed?.queued ?? 0);
          return changed?.cells;
        },
      });
      for (const count of queuedOf.values()) queued += count;
      if (changed.length > 0) queueScoring(organizationId, runId, changed, retriedAt);
    }
    return queued;
  }

  async function* recordsOf(organizationId: string, runId: string, { isPending }: { isPending: boolean }): AsyncIterable<string[]> {
    let after: string | undefined;
    for (;;) {
      const ids = await store.records.listIds(organizationId, { runId, isPending, after, limit: batch });
      if (ids.length === 0) return;
      yield ids;
      after = ids.at(-1);
    }
  }

  async function* failedRecords(organizationId: string, runId: string): AsyncIterable<string[]> {
    let fromId: string | undefined;
    for (;;) {
      const failed = await store.records.listFailed(organizationId, { runId, fromId, limit: batch });
      if (failed.length === 0) return;
      yield failed.map(({ id }) => id);
      if (failed.length < batch) return;
      fromId = `${failed.at(-1)!.id}~`;
    }
  }

  async function queueFailed(
    identity: Identity,
    run: StoredRun,
    { isMeant, retriedAt }: { isMeant: (failure: FailedCell) => boolean; retriedAt?: Date },
  ): Promise<number> {
    const change: Change = (record) => {
      const failures = record.failures.filter(isMeant);
      if (failures.length === 0) return undefined;
      const cells = failures.reduce<Cells>((sum, { metricVersionId }) => withPending(sum, metricVersionId), cellsOf(record));
      return { cells, queued: failures.length };
    };
    return queue(identity.organizationId, run, { batches: failedRecords(identity.organizationId, run.id), change, retriedAt });
  }

  /** Which metrics of the run are scored anew, as positions of `metricIds` where that was given. */
  function chosenMetrics(run: StoredRun, metricIds: string[] | undefined): string[] {
    const own = new Map(run.metrics.map((metric) => [metric.metricId, metric]));
    const issues = (metricIds ?? []).flatMap((id, index) => {
      if (!own.has(id)) return [{ path: `/metricIds/${index}`, message: 'does not belong to this run' }];
      return own.get(id)!.isScoredByService ? [] : [{ path: `/metricIds/${index}`, message: 'is not scored by the service' }];
    });
    if (issues.length > 0) throw invalid(issues);
    return metricIds ?? [...own.values()].filter(({ isScoredByService }) => isScoredByService).map(({ metricId }) => metricId);
  }

  async function currentMetrics(identity: Identity, run: StoredRun, metricIds: string[] | undefined) {
    const chosen = [...new Set(chosenMetrics(run, metricIds))];
    if (chosen.length === 0) return [];
    const { versions, missing } = await ask.metrics.currentVersions(identity, { projectId: run.projectId, metricIds: chosen });
    const deleted = (metricIds ?? []).flatMap((id, index) =>
      missing.includes(id) ? [{ path: `/metricIds/${index}`, message: 'was deleted' }] : [],
    );
    if (deleted.length > 0) throw invalid(deleted);
    return versions.filter(({ isScoredByService }) => isScoredByService);
  }

  return {
    /** Scores anew all that failed; a provider that is left alone for a while is asked at once. */
    async retry(identity: Identity, runId: string): Promise<{ queued: number }> {
      return { queued: await queueFailed(identity, await runs.runOf(identity, runId), { isMeant: () => true, retriedAt: now() }) };
    },

    /** Goes on scoring a paused run. */
    async resume(identity: Identity, runId: string): Promise<Run> {
      const { organizationId } = identity;
      await runs.runOf(identity, runId);
      await store.runs.update(organizationId, runId, { isPaused: false });
      // Whether anything is pending is known; to look for it in a million records that have nothing takes seconds.
      const { pending } = (await store.runs.countsOf(organizationId, [runId])).get(runId)!;
      if (pending === 0) return runs.get(identity, runId);
      for await (const ids of recordsOf(organizationId, runId, { isPending: true })) queueScoring(organizationId, runId, ids);
      return runs.get(identity, runId);
    },

    /** Sets the budget. If there is budget now, scores again the cells that failed with `budget_exhausted`. */
    async updateBudget(identity: Identity, runId: string, budgetUsd: number | null): Promise<Run> {
      const run = { ...(await runs.runOf(identity, runId)), budgetUsd };
      await store.runs.update(identity.organizationId, runId, { budgetUsd });
      if (!isSpent(await runs.budgetOf(identity, run)))
        await queueFailed(identity, run, { isMeant: ({ code }) => code === 'budget_exhausted' });
      return runs.get(identity, runId);
    },

    /** Nothing of these records is judged any more: the run's budget is spent. */
    async exhaustBudget({ organizationId }: Identity, run: StoredRun, ids: string[]): Promise<void> {
      const judged = new Set(run.metrics.filter(({ evalType }) => evalType === 'ai').map(({ metricVersionId }) => metricVersionId));
      const at = now();
      const failureOf = (metricVersionId: string): FailedCell => ({
        metricVersionId,
        code: 'budget_exhausted',
        message: `The run's budget of ${run.budgetUsd} US dollars is spent. A PATCH of the run with a higher budgetUsd goes on.`,
        attempts: 0,
        at,
      });
      await store.records.changeCells(organizationId, {
        run,
        ids,
        change: (record) => {
          const unpaid = record.pending.filter((id) => judged.has(id));
          return unpaid.length === 0 ? undefined : unpaid.reduce<Cells>((cells, id) => withFailure(cells, failureOf(id)), cellsOf(record));
        },
      });
    },

    /** Scores again with the current versions of the metrics, which join the run. Keeps the scores that a person gave. */
    async rescore(
      identity: Identity,
      runId: string,
      { metricIds, recordIds }: { metricIds?: string[]; recordIds?: string[] },
    ): Promise<{ queued: number }> {
      const { organizationId } = identity;
      const run = await runs.runOf(identity, runId);
      const metrics = await currentMetrics(identity, run, metricIds);
      if (recordIds) await checkRecords(organizationId, runId, recordIds);
      await store.runs.addMetrics(organizationId, runId, metrics);
      const change: Change = (record) => {
        const { scores } = record;
        const anew = metrics.filter(
          ({ metricVersionId }) => !scores.some((score) => score.metricVersionId === metricVersionId && score.source === 'human'),
        );
        if (anew.length === 0) return undefined;
        return {
          cells: anew.reduce<Cells>((cells, { metricVersionId }) => withPending(cells, metricVersionId), cellsOf(record)),
          queued: anew.length,
        };
      };
      const batches = recordIds ? inBatches([...new Set(recordIds)]) : recordsOf(organizationId, runId, { isPending: false });
      return { queued: await queue(organizationId, await runs.runOf(identity, runId), { batches, change }) };
    },

    async listFailures(identity: Identity, runId: string, { limit, after }: PageRequest) {
      await runs.runOf(identity, runId);
      const [fromId, afterMetric] = after?.split('/') ?? [];
      const records = await store.records.listFailed(identity.organizationId, { runId, fromId, limit: limit + 2 });
      const failures = records
        .flatMap((record) => sorted(record).map((failure) => ({ recordId: record.id, ...failure, at: failure.at.toISOString() })))
        .filter(({ recordId, metricVersionId }) => recordId !== fromId || metricVersionId > afterMetric!);
      const items = failures.slice(0, limit);
      const last = items.at(-1);
      return { items, next: failures.length > limit ? `${last!.recordId}/${last!.metricVersionId}` : null } satisfies Page<unknown>;
    },
  };

  async function checkRecords(organizationId: string, runId: string, recordIds: string[]): Promise<void> {
    const existing = new Set(await store.records.findIds(organizationId, runId, recordIds));
    const issues = recordIds.flatMap((id, index) =>
      existing.has(id) ? [] : [{ path: `/recordIds/${index}`, message: 'does not belong to this run' }],
    );
    if (issues.length > 0) throw invalid(issues.slice(0, 100));
  }
}

const sorted = ({ failures }: { failures: FailedCell[] }) => [...failures].sort((a, b) => (a.metricVersionId < b.metricVersionId ? -1 : 1));

async function* inBatches(ids: string[]): AsyncIterable<string[]> {
  for (let from = 0; from < ids.length; from += batch) yield ids.slice(from, from + batch);
}
