import type { Identity } from '@assay/contracts/define';
import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import { jobPairsMax } from '@assay/contracts/scoring';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { isOutage } from '@assay/runtime/concurrency/guard-item';
import type { StoredComparison, StoredJudgement } from '../../store/pairwise.ts';
import { type Allowance, createAllowances, createEstimates, type Permit } from '../allowance.ts';
import { deadLetterOutcome } from '../dead-letters.ts';
import type { Dependencies } from '../dependencies.ts';
import { failureOutcome } from '../failure-outcome.ts';
import type { KnownVersions } from '../known-versions.ts';
import { createModelSemaphore } from '../model-semaphore.ts';
import { submitWithRetry } from '../submit-with-retry.ts';
import { answerOf, type Order } from './answers.ts';
import { outcomeOfErrors } from './errors.ts';

export interface PairsJob {
  comparisonId: string;
  judgementIds: string[];
  model: string;
  retriedAt?: string;
}

interface RecordContent {
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  /** Why its system gave no answer. */
  error?: object | undefined;
}

/** A question about a pair that has no answer yet. */
interface OpenQuestion {
  judgement: StoredJudgement;
  order: Order;
}

interface JudgedComparison {
  comparison: StoredComparison;
  /** Undefined where the version is not there any more. */
  metric: MetricVersion | undefined;
  allowance: Allowance;
}

/** How long a job waits for its model before it is requeued. */
const modelWaitMs = 2000;
/** Comparisons of which answers are kept at once. */
const keptAtOnceMax = 16;

/**
 * Handles jobs of pairwise comparisons: asks the open questions, and keeps each answer when it comes.
 * Safe to run twice. An answer that is kept is never asked for again.
 */
export function createPairJudging({
  store,
  comparedRuns,
  judge,
  judges,
  judgeConcurrency,
  knownVersions,
  signal,
}: Pick<
  Dependencies,
  'store' | 'comparedRuns' | 'judge' | 'judges' | 'judgeConcurrency' | 'signal'
> & { knownVersions: KnownVersions }) {
  // Jobs with twice the questions that are asked at once, as for records, plus two.
  const withModel = createModelSemaphore({
    each: Math.ceil(judgeConcurrency / jobPairsMax) + 2,
  });
  const estimates = createEstimates();
  const allowances = createAllowances({ estimates, concurrency: judgeConcurrency });
  /** Answers of one comparison change its counts, so they are kept one after the other. */
  const inOrder = createFairSemaphore({ permits: keptAtOnceMax, permitsEach: 1 });
  /** Questions that are asked for this process: a job that comes twice asks, and pays, once. */
  const underWay = new Set<string>();

  async function keep(
    { organizationId }: Identity,
    { judgement, order }: OpenQuestion,
    {
      outcome,
      allowance,
      limit,
    }: { outcome: Judgement['outcome']; allowance: Allowance; limit: number },
  ): Promise<void> {
    const { id, comparisonId } = judgement;
    const answer = answerOf(order, outcome);
    const kept = await submitWithRetry(() =>
      inOrder(comparisonId, () =>
        store.pairwise.keepAnswer(organizationId, { comparisonId, id, order, answer }),
      ),
    );
    if (kept) allowance.update({ limitNanoUsd: limit, spentNanoUsd: kept.spentNanoUsd });
  }

  async function outcomeOf(
    { organizationId }: Identity,
    { judgement, order }: OpenQuestion,
    {
      metric,
      records,
    }: { metric: MetricVersion | undefined; records: (RecordContent | undefined)[] },
  ): Promise<Judgement['outcome']> {
    if (!metric) return gone('The metric version is not there any more.');
    const [baseline, candidate] = records;
    if (!baseline || !candidate) return gone('A record of the pair is not there any more.');
    const [first, second] = order === 'forward' ? [baseline, candidate] : [candidate, baseline];
    const { outcome } = await judge({
      organizationId,
      recordId: judgement.recordIds[0],
      metric,
      // Of the same record in both orders: nothing else tells the orders apart.
      inputs: baseline.inputs,
      expected: baseline.expected,
      outputs: first.outputs,
      secondOutputs: second.outputs,
    });
    return outcome;
  }

  async function answer(
    identity: Identity,
    question: OpenQuestion,
    { comparison, metric, allowance }: JudgedComparison,
    records: (RecordContent | undefined)[],
  ): Promise<void> {
    const key = `${question.judgement.id}/${question.order}`;
    if (underWay.has(key)) return;
    underWay.add(key);
    const { metricVersionId, model, budgetNanoUsd } = comparison;
    const unjudged = outcomeOfErrors(question.order, metricVersionId, records);
    const limit = budgetNanoUsd ?? Number.POSITIVE_INFINITY;
    const permit =
      unjudged || budgetNanoUsd === null
        ? freePermit
        : await allowance.take({ metricVersionId, model });
    try {
      const outcome =
        unjudged ?? (permit ? await outcomeOf(identity, question, { metric, records }) : exhausted);
      if (permit && !unjudged) estimates.learn({ metricVersionId, outcome });
      await keep(identity, question, { outcome, allowance, limit });
    } finally {
      permit?.giveBack();
      underWay.delete(key);
    }
  }

  /**
   * Reads the records of pairs that have the same two runs, as many as come in one reply for each
   * run, and those of the rest after these are judged.
   */
  async function judgeTogether(
    identity: Identity,
    judged: JudgedComparison,
    judgements: StoredJudgement[],
  ): Promise<void> {
    const { runIds } = judged.comparison;
    const replies = await Promise.all(
      ([0, 1] as const).map((side) =>
        comparedRuns.readRecords(identity, {
          runId: runIds[judgements[0]!.runs[side]]!,
          recordIds: [...new Set(judgements.map(({ recordIds }) => recordIds[side]))],
        }),
      ),
    );
    const found = new Map(
      replies.flatMap(({ records }) => records.map((record) => [record.id, record])),
    );
    const remaining = new Set(replies.flatMap((reply) => reply.remaining));
    const isComplete = ({ recordIds }: StoredJudgement) =>
      recordIds.every((id) => !remaining.has(id));
    const complete = judgements.filter(isComplete);
    if (complete.length === 0) {
      // Too large to be read together, or not those of the same testcases.
      await judgeTogether(identity, judged, judgements.slice(0, 1));
      await judgeTogether(identity, judged, judgements.slice(1));
      return;
    }
    const asked = await Promise.allSettled(
      complete.flatMap((judgement) =>
        openQuestions(judgement).map((question) =>
          answer(
            identity,
            question,
            judged,
            judgement.recordIds.map((id) => found.get(id)),
          ),
        ),
      ),
    );
    const fault = asked.find((outcome) => outcome.status === 'rejected');
    if (fault) throw fault.reason;
    const rest = judgements.filter((judgement) => !isComplete(judgement));
    if (rest.length > 0) await judgeTogether(identity, judged, rest);
  }

  async function judgePairs(
    identity: Identity,
    { comparisonId, judgementIds }: PairsJob,
  ): Promise<'done'> {
    const { organizationId } = identity;
    const pending = await store.pairwise.findPending(organizationId, comparisonId, judgementIds);
    if (pending.length === 0) return 'done';
    return allowances.use(comparisonId, async (allowance): Promise<'done'> => {
      const comparison = await store.pairwise.find(organizationId, comparisonId);
      if (!comparison) return 'done';
      const { metricVersionId, budgetNanoUsd, spentNanoUsd } = comparison;
      allowance.update({
        limitNanoUsd: budgetNanoUsd ?? Number.POSITIVE_INFINITY,
        spentNanoUsd,
      });
      const metric = (await knownVersions(identity, [metricVersionId])).get(metricVersionId);
      for (const judgements of byRuns(pending))
        await judgeTogether(identity, { comparison, metric, allowance }, judgements);
      return 'done';
    });
  }

  return {
    /**
     * Asks about pairs. A job whose model has no room goes back, so that it keeps no other model's
     * waiting, and so does one that the end of this process cuts off.
     */
    async judge(identity: Identity, job: PairsJob): Promise<'done' | 'requeue'> {
      const { model, retriedAt } = job;
      if (retriedAt) judges.retry(model, new Date(retriedAt));
      const permit = { model, organizationId: identity.organizationId, waitMs: modelWaitMs };
      try {
        return (await withModel(permit, () => judgePairs(identity, job))) ?? 'requeue';
      } catch (error) {
        if (signal.aborted) return 'requeue';
        throw error;
      }
    },

    /** The questions that a dead letter left open fail, but for those that an outage keeps open. */
    async giveUp(
      { organizationId }: Identity,
      { comparisonId, judgementIds }: PairsJob,
      error: unknown,
    ): Promise<void> {
      if (isOutage(error)) return;
      const pending = await store.pairwise.findPending(organizationId, comparisonId, judgementIds);
      for (const { judgement, order } of pending.flatMap(openQuestions)) {
        const answer = answerOf(order, deadLetterOutcome(error));
        const { id } = judgement;
        await inOrder(comparisonId, () =>
          store.pairwise.keepAnswer(organizationId, { comparisonId, id, order, answer }),
        );
      }
    },
  };
}

/** Without a budget nothing is reserved. */
const freePermit: Permit = { giveBack: () => undefined };

const orders = ['forward', 'backward'] as const;

const openQuestions = (judgement: StoredJudgement): OpenQuestion[] =>
  orders.flatMap((order) => (judgement[order] === null ? [{ judgement, order }] : []));

/** Judgements by their two runs, of which each is read at once. */
function byRuns(judgements: StoredJudgement[]): StoredJudgement[][] {
  const groups = new Map<string, StoredJudgement[]>();
  for (const judgement of judgements) {
    const key = judgement.runs.join('/');
    groups.set(key, [...(groups.get(key) ?? []), judgement]);
  }
  return [...groups.values()];
}

const gone = (message: string): Judgement['outcome'] =>
  failureOutcome({ code: 'code_error', message, attempts: 0 });

const exhausted: Judgement['outcome'] = failureOutcome({
  code: 'budget_exhausted',
  message: "The comparison's budget is spent. A retry with a larger budget asks what is left.",
  attempts: 0,
});
