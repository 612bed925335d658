import type { Identity } from '@assay/contracts/define';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement, RunBudget } from '@assay/contracts/run-records';
import { judgedRecordsMax } from '@assay/contracts/scoring';
import {
  type Account,
  type Allowance,
  createAllowances,
  createEstimates,
  nanoUsd,
  type Permit,
} from './allowance.ts';
import type { Dependencies } from './dependencies.ts';
import type { PendingScore } from './evaluation.ts';
import { createHandOver } from './hand-over.ts';
import type { Pay } from './judging.ts';
import type { KnownVersions } from './known-versions.ts';
import { createModelSemaphore } from './model-semaphore.ts';
import { submitWithRetry } from './submit-with-retry.ts';

export interface Job {
  runId: string;
  recordIds: string[];
  attempt: number;
}

type JudgeJob = Job & { model: string; retriedAt?: string };

interface RecordToScore {
  id: string;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  pending: string[];
  uncached?: string[] | undefined;
}

/** Pending scores of one run that a job makes, within the run's allowance. */
interface JobScores {
  runId: string;
  scores: PendingScore[];
  allowance?: Allowance;
}

/** A judgement that is to be handed over, and the permit that it was made by. */
interface FinishedJudgement {
  judgement: Judgement;
  permit: Permit | undefined;
}

/** How long a job waits for its model before it is requeued. */
const modelWaitMs = 2000;
/** How often finished judgements are handed over while others are under way. */
const handOverEveryMs = 250;
/** After so many flushes without a judgement, an empty one asks whether the run was stopped. */
const idleFlushesMax = 8;
/**
 * Code takes up to a second a record, so judgements are handed over after each batch of this size.
 */
const codeScoresAtOnce = 50;

type RecordScoringDependencies = Pick<
  Dependencies,
  | 'store'
  | 'runRecords'
  | 'evaluate'
  | 'judge'
  | 'judges'
  | 'judgeConcurrency'
  | 'signal'
  | 'newId'
  | 'now'
> & {
  knownVersions: KnownVersions;
};

/**
 * Handles scoring jobs: reads the pending scores, makes them, hands the judgements over. Safe to
 * run twice.
 */
export function createRecordScoring({
  store,
  runRecords,
  evaluate,
  judge,
  judges,
  judgeConcurrency,
  knownVersions,
  signal,
  newId,
  now,
}: RecordScoringDependencies) {
  // Jobs with twice the records that are asked at once, so that a model never waits for a job, plus
  // two for jobs that are about to end.
  const withModel = createModelSemaphore({
    each: Math.ceil((2 * judgeConcurrency) / judgedRecordsMax) + 2,
  });
  const handOver = createHandOver({ runRecords, store, newId, now });
  const estimates = createEstimates();
  const allowances = createAllowances({ estimates, concurrency: judgeConcurrency });
  /**
   * Scores that a model is judging for this process: a job that comes twice asks, and pays, once.
   */
  const underWay = new Set<string>();

  /**
   * Returns the pending scores of the records, and a failure for each whose metric version is gone.
   */
  async function pendingScoresOf(
    identity: Identity,
    records: RecordToScore[],
    { attempt, projectId }: { attempt: number; projectId?: string | undefined },
  ): Promise<{ scores: PendingScore[]; gone: Judgement[] }> {
    const versions = await knownVersions(identity, [
      ...new Set(records.flatMap(({ pending }) => pending)),
    ]);
    const scores: PendingScore[] = [];
    const gone: Judgement[] = [];
    for (const { id, pending, uncached = [], ...payloads } of records) {
      for (const versionId of pending) {
        const metric = versions.get(versionId);
        const cacheProjectId = uncached.includes(versionId) ? undefined : projectId;
        if (metric) scores.push({ recordId: id, metric, ...payloads, cacheProjectId });
        else gone.push(metricIsGone(id, versionId, attempt));
      }
    }
    return { scores, gone };
  }

  /**
   * Has all scores judged, and hands over finished judgements while others are in progress. In a
   * run with a budget it hands each one over at once, since the budget that is left decides which
   * scores may begin. Stops asking when the run's scoring is stopped, and returns whether it was.
   */
  async function judgeAll(
    identity: Identity,
    { runId, scores, allowance }: JobScores,
  ): Promise<{ isStopped: boolean }> {
    // One for each score: a signal takes few listeners.
    const asks = scores.map((score) => ({ score, stop: new AbortController() }));
    const finished: FinishedJudgement[] = [];
    let isStopped = false;
    let idleFlushes = 0;
    let pendingFlush = Promise.resolve();
    const stopAsking = () => {
      isStopped = true;
      for (const { stop } of asks) stop.abort();
    };
    const flush = ({ isOverdue }: { isOverdue: boolean }) => {
      pendingFlush = pendingFlush.then(async () => {
        if (finished.length === 0 && !isOverdue) return;
        const flushed = finished.splice(0);
        const judgements = flushed.map(({ judgement }) => judgement);
        try {
          const { isPaused, budget } = await submitWithRetry(() =>
            handOver(identity, runId, judgements),
          );
          for (const judgement of judgements) estimates.learn(judgement);
          // Before the permits are given back: the account now contains the cost that they
          // reserved.
          if (budget) allowance?.update(accountOf(budget));
          if (isPaused || isSpent(budget)) stopAsking();
        } finally {
          for (const { permit } of flushed) permit?.giveBack();
        }
      });
      // Heard below, where it is waited for.
      pendingFlush.catch(stopAsking);
    };
    const look = () => {
      idleFlushes = finished.length === 0 ? idleFlushes + 1 : 0;
      flush({ isOverdue: idleFlushes > 0 && idleFlushes % idleFlushesMax === 0 });
    };
    const judgeScore = async (score: PendingScore, signal: AbortSignal) => {
      const { metricVersionId, judge: judgedBy } = score.metric;
      let permit: Permit | undefined;
      const pay: Pay = async (ask) => {
        permit = await allowance?.take({ metricVersionId, model: judgedBy!.evalModelName }, signal);
        if (permit || !allowance) return ask();
        isStopped = true;
        throw new Error("The run's budget is spent.");
      };
      try {
        const toJudge = { organizationId: identity.organizationId, ...score, signal };
        finished.push({ judgement: await judge(toJudge, pay), permit });
      } catch (error) {
        permit?.giveBack();
        throw error;
      }
      if (allowance) flush({ isOverdue: false });
    };
    const timer = setInterval(look, handOverEveryMs);
    try {
      const judged = await Promise.allSettled(
        asks.map(({ score, stop }) => judgeScore(score, stop.signal)),
      );
      const fault = judged.find((outcome) => outcome.status === 'rejected');
      flush({ isOverdue: false });
      await pendingFlush;
      if (fault && !isStopped) throw fault.reason;
      return { isStopped };
    } finally {
      clearInterval(timer);
      for (const { permit } of finished) permit?.giveBack();
    }
  }

  async function judgeOnce(
    identity: Identity,
    { runId, scores, allowance }: JobScores,
  ): Promise<{ isStopped: boolean }> {
    const key = ({ recordId, metric }: PendingScore) => `${recordId}/${metric.metricVersionId}`;
    const own = scores.filter((score) => !underWay.has(key(score)));
    for (const score of own) underWay.add(key(score));
    try {
      return await judgeAll(identity, { runId, scores: own, allowance });
    } finally {
      for (const score of own) underWay.delete(key(score));
    }
  }

  /** Jobs of one run share its budget. */
  function judgeWithin(
    identity: Identity,
    { budget, ...job }: JobScores & { budget: RunBudget },
  ): Promise<{ isStopped: boolean }> {
    if (!budget) return judgeOnce(identity, job);
    return allowances.use(job.runId, (allowance) => {
      allowance.update(accountOf(budget));
      return judgeOnce(identity, { ...job, allowance });
    });
  }

  /**
   * Hands over the judgements that are made, before it throws the fault of one that is not: on a
   * busy machine every try gets on.
   */
  async function scoreByCode(
    identity: Identity,
    { runId, scores, attempt }: { runId: string; scores: PendingScore[]; attempt: number },
  ) {
    const evaluated = await Promise.allSettled(scores.map((score) => evaluate([score], attempt)));
    const judgements = evaluated.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : [],
    );
    const run = await handOver(identity, runId, judgements);
    const fault = evaluated.find((outcome) => outcome.status === 'rejected');
    if (fault) throw fault.reason;
    return run;
  }

  async function scoreByEvaluators(
    identity: Identity,
    { runId, recordIds, attempt }: Job,
  ): Promise<'done'> {
    let wanted = recordIds;
    while (wanted.length > 0) {
      const { records, remaining } = await runRecords.readForScoring(identity, {
        runId,
        recordIds: wanted,
        model: null,
      });
      const { scores, gone } = await pendingScoresOf(identity, records, { attempt });
      const withCode = scores.filter(({ metric }) => metric.code);
      const quick = await evaluate(
        scores.filter(({ metric }) => !metric.code),
        attempt,
      );
      if (gone.length + quick.length > 0) await handOver(identity, runId, [...gone, ...quick]);
      for (
        let from = 0, isPaused = false;
        from < withCode.length && !isPaused;
        from += codeScoresAtOnce
      )
        ({ isPaused } = await scoreByCode(identity, {
          runId,
          scores: withCode.slice(from, from + codeScoresAtOnce),
          attempt,
        }));
      wanted = remaining;
    }
    return 'done';
  }

  async function scoreByJudge(identity: Identity, job: JudgeJob): Promise<'done' | 'requeue'> {
    const { model, retriedAt } = job;
    // Before the semaphore: those that hold it may be waiting for the provider themselves.
    if (retriedAt) judges.retry(model, new Date(retriedAt));
    const permit = { model, organizationId: identity.organizationId, waitMs: modelWaitMs };
    return (await withModel(permit, () => judgeRecords(identity, job))) ?? 'requeue';
  }

  async function judgeRecords(
    identity: Identity,
    { runId, recordIds, model, attempt }: JudgeJob,
  ): Promise<'done'> {
    let wanted = recordIds;
    while (wanted.length > 0) {
      const { records, remaining, budget, projectId } = await runRecords.readForScoring(identity, {
        runId,
        recordIds: wanted,
        model,
      });
      const { scores, gone } = await pendingScoresOf(identity, records, { attempt, projectId });
      if (gone.length > 0) await handOver(identity, runId, gone);
      const { isStopped } = await judgeWithin(identity, { runId, scores, budget });
      // After a stop it reads the same records again, so that run-records decides about those that
      // are left.
      if (!isStopped) wanted = remaining;
    }
    return 'done';
  }

  /** A job that the end of this process cuts off is for another process. */
  const unlessStopping = (work: Promise<'done' | 'requeue'>): Promise<'done' | 'requeue'> =>
    work.catch((error: unknown) => {
      if (signal.aborted) return 'requeue';
      throw error;
    });

  return {
    /** Scores by built-in evaluators and by code. */
    score: (identity: Identity, job: Job) => unlessStopping(scoreByEvaluators(identity, job)),

    /**
     * Scores by a model. A job whose model has no room goes back, so that it keeps no other model's
     * waiting.
     */
    judge: (identity: Identity, job: JudgeJob) => unlessStopping(scoreByJudge(identity, job)),
  };
}

const accountOf = ({ limitUsd, spentUsd }: NonNullable<RunBudget>): Account => ({
  limitNanoUsd: nanoUsd(limitUsd),
  spentNanoUsd: nanoUsd(spentUsd),
});

const isSpent = (budget: RunBudget): boolean =>
  budget !== null && budget.spentUsd >= budget.limitUsd;

const metricIsGone = (recordId: string, metricVersionId: string, attempts: number): Judgement => ({
  recordId,
  metricVersionId,
  outcome: {
    kind: 'failure',
    code: 'code_error',
    message: 'The metric version is not there any more.',
    attempts,
  },
});
