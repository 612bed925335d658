import { Failure } from '@assay/contracts/failure';
import { createAllowances, createEstimates, nanoCostOf, nanoUsd } from './allowance.ts';
import type { Dependencies } from './dependencies.ts';
import { failureOutcome } from './failure-outcome.ts';
import type { Judge, Outcome, ScoreToJudge } from './judging.ts';
import { submitWithRetry } from './submit-with-retry.ts';

const dayMs = 24 * 60 * 60 * 1000;

type DailyBudgetDependencies = Pick<
  Dependencies,
  'store' | 'judge' | 'judgeConcurrency' | 'judgeBudgetUsdPerDay' | 'now'
>;

/**
 * Limits the cost of an organization's judges in a day (UTC), previews included. The database holds
 * the count, for all processes.
 */
export function createDailyBudget({
  store,
  judge,
  judgeConcurrency,
  judgeBudgetUsdPerDay: limitUsd,
  now,
}: DailyBudgetDependencies) {
  const estimates = createEstimates();
  const allowances = createAllowances({ estimates, concurrency: judgeConcurrency });
  const nextDay = () => new Date((Math.floor(now().getTime() / dayMs) + 1) * dayMs);
  const sentence = () =>
    `The organization has spent its ${limitUsd} US dollars for judges of this day, which ends at ${nextDay().toISOString()}.`;

  async function askWithin(
    { organizationId, metric, signal }: ScoreToJudge,
    limitNanoUsd: number,
    ask: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const { metricVersionId } = metric;
    const day = now().toISOString().slice(0, 10);
    return allowances.use(`${organizationId}/${day}`, async (allowance) => {
      allowance.update({ limitNanoUsd, spentNanoUsd: await store.spentOn(organizationId, day) });
      const permit = await allowance.take(
        { metricVersionId, model: metric.judge!.evalModelName },
        signal,
      );
      if (!permit) {
        const message = `${sentence()} A retry goes on after that.`;
        return failureOutcome({ code: 'budget_exhausted', message, attempts: 0 });
      }
      try {
        const outcome = await ask();
        estimates.learn({ metricVersionId, outcome });
        const spentNanoUsd = await submitWithRetry(() =>
          store.spend(organizationId, { day, nanoUsd: nanoCostOf(outcome) }),
        );
        allowance.update({ limitNanoUsd, spentNanoUsd });
        return outcome;
      } finally {
        permit.giveBack();
      }
    });
  }

  return {
    judge: ((score, pay = (ask) => ask()) =>
      judge(score, (ask) =>
        pay(() => (limitUsd === undefined ? ask() : askWithin(score, nanoUsd(limitUsd), ask))),
      )) as Judge,

    /** @throws RATE_LIMITED when nothing is left of the day's budget. */
    async check(organizationId: string): Promise<void> {
      if (limitUsd === undefined) return;
      const spent = await store.spentOn(organizationId, now().toISOString().slice(0, 10));
      if (spent < nanoUsd(limitUsd)) return;
      const retryAfterSeconds = Math.ceil((nextDay().getTime() - now().getTime()) / 1000);
      throw new Failure('RATE_LIMITED', sentence(), { retryAfterSeconds });
    },
  };
}

export type DailyBudget = ReturnType<typeof createDailyBudget>;
