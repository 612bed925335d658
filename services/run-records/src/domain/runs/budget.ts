import type { Identity } from '@assay/contracts/define';
import type { RunBudget } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import { isSpent, usdOf } from '../accounts/money.ts';
import {
  type FailedScore,
  type ScoreStates,
  scoreStatesOf,
  withFailure,
} from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Requeue } from './requeue.ts';

export type Budget = ReturnType<typeof createBudget>;

/** A run's budget for judges. */
export function createBudget({
  store,
  now,
  requeue,
}: Pick<Dependencies, 'store' | 'now'> & { requeue: Requeue }) {
  /** The run's budget and the amount spent; null for a run without a budget. */
  async function budgetOf(
    organizationId: string,
    { id, budgetUsd }: StoredRun,
  ): Promise<RunBudget> {
    if (budgetUsd === null) return null;
    return {
      limitUsd: budgetUsd,
      spentUsd: usdOf((await store.runs.countsOf(organizationId, [id])).get(id)!.costNanoUsd),
    };
  }

  return {
    budgetOf,

    /** Those of these runs that have spent their budget. */
    async spentAmong({ organizationId }: Identity, ids: string[]): Promise<string[]> {
      const found = await store.runs.findEach(ids.map((id) => ({ organizationId, id })));
      const runs = found.filter((run) => run !== undefined);
      const budgets = await Promise.all(runs.map((run) => budgetOf(organizationId, run)));
      return runs.filter((_run, at) => isSpent(budgets[at]!)).map(({ id }) => id);
    },

    /** If there is budget left, makes the scores again that failed with `budget_exhausted`. */
    async retryUnpaid(organizationId: string, run: StoredRun): Promise<void> {
      if (!isSpent(await budgetOf(organizationId, run)))
        await requeue.queueFailed(organizationId, run, {
          isMeant: ({ code }) => code === 'budget_exhausted',
        });
    },

    /** Fails the pending scores of judges on these records, because the run's budget is spent. */
    async exhaust(organizationId: string, run: StoredRun, ids: string[]): Promise<void> {
      const judged = new Set(
        run.metrics
          .filter(({ evalType }) => evalType === 'ai')
          .map(({ metricVersionId }) => metricVersionId),
      );
      const at = now();
      const failureOf = (metricVersionId: string): FailedScore => ({
        metricVersionId,
        code: 'budget_exhausted',
        message: `The run's budget of ${run.budgetUsd} US dollars is spent. A PATCH of the run with a higher budgetUsd goes on.`,
        attempts: 0,
        at,
      });
      await store.records.changeScoreStates(organizationId, {
        run,
        ids,
        change: (record) => {
          const unpaid = record.pending.filter((id) => judged.has(id));
          if (unpaid.length === 0) return undefined;
          return unpaid.reduce<ScoreStates>(
            (states, id) => withFailure(states, failureOf(id)),
            scoreStatesOf(record),
          );
        },
      });
    },
  };
}
