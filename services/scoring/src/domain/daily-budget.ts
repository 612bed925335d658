import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { CountedUsage } from '@assay/contracts/limits';
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
  judgeBudgetUsdPerDay,
  now,
}: DailyBudgetDependencies) {
  const estimates = createEstimates();
  const allowances = createAllowances({ estimates, concurrency: judgeConcurrency });
  const nextDay = () => new Date((Math.floor(now().getTime() / dayMs) + 1) * dayMs);
  const today = () => now().toISOString().slice(0, 10);
  const sentence = (limitUsd: number) =>
    `The organization has spent its ${limitUsd} US dollars for judges of this day, which ends at ${nextDay().toISOString()}.`;

  /** Returns the organization's spending of the day, this judgement included. */
  function count(
    { organizationId, metric: { metricVersionId } }: ScoreToJudge,
    day: string,
    outcome: Outcome,
  ): Promise<number> {
    estimates.learn({ metricVersionId, outcome });
    return submitWithRetry(() =>
      store.spend(organizationId, { day, nanoUsd: nanoCostOf(outcome) }),
    );
  }

  async function askWithin(
    score: ScoreToJudge,
    limitUsd: number,
    ask: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const { organizationId, metric, signal } = score;
    const { metricVersionId } = metric;
    const limitNanoUsd = nanoUsd(limitUsd);
    const day = today();
    return allowances.use(`${organizationId}/${day}`, async (allowance) => {
      allowance.update({ limitNanoUsd, spentNanoUsd: await store.spentOn(organizationId, day) });
      const permit = await allowance.take(
        { metricVersionId, model: metric.judge!.evalModelName },
        signal,
      );
      if (!permit) {
        const message = `${sentence(limitUsd)} A retry goes on after that, or when your operator has raised the limit.`;
        return failureOutcome({ code: 'budget_exhausted', message, attempts: 0 });
      }
      try {
        const outcome = await ask();
        allowance.update({ limitNanoUsd, spentNanoUsd: await count(score, day, outcome) });
        return outcome;
      } finally {
        permit.giveBack();
      }
    });
  }

  /** Counts without a limit, too: one may be set, and everybody may see the spending. */
  async function askOnAccount(score: ScoreToJudge, ask: () => Promise<Outcome>): Promise<Outcome> {
    const limitUsd = await judgeBudgetUsdPerDay.of(score.organizationId);
    if (limitUsd !== undefined) return askWithin(score, limitUsd, ask);
    const outcome = await ask();
    if (nanoCostOf(outcome) > 0) await count(score, today(), outcome);
    return outcome;
  }

  return {
    judge: ((score, pay = (ask) => ask()) =>
      judge(score, (ask) => pay(() => askOnAccount(score, ask)))) as Judge,

    async usage({ organizationId }: Identity): Promise<CountedUsage> {
      return {
        used: (await store.spentOn(organizationId, today())) / 1e9,
        installationLimit: judgeBudgetUsdPerDay.installation ?? null,
        resetsAt: nextDay().toISOString(),
      };
    },

    /** @throws RATE_LIMITED when nothing is left of the day's budget. */
    async check(organizationId: string): Promise<void> {
      const limitUsd = await judgeBudgetUsdPerDay.of(organizationId);
      if (limitUsd === undefined) return;
      const spent = await store.spentOn(organizationId, today());
      if (spent < nanoUsd(limitUsd)) return;
      const retryAfterSeconds = Math.ceil((nextDay().getTime() - now().getTime()) / 1000);
      const message = `${sentence(limitUsd)} Try again after that, or ask your operator for more.`;
      throw new Failure('RATE_LIMITED', message, { retryAfterSeconds });
    },
  };
}

export type DailyBudget = ReturnType<typeof createDailyBudget>;
