import type { Identity } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { JsonText } from '@assay/contracts/payload';
import type { Judgement, RunBudget } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import { knowsVersion } from '../accounts/joined-metrics.ts';
import { nanoUsd } from '../accounts/money.ts';
import {
  type ScoreStates,
  type StoredScore,
  scoreStatesOf,
  withAwaited,
  withFailure,
  withJudgement,
  without,
  withoutScoreOf,
  withPending,
  withScore,
} from '../accounts/score-states.ts';
import { madeScore, readScore } from '../accounts/score-value.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Budget } from '../runs/budget.ts';
import type { Runs } from '../runs/runs.ts';
import { checkRoom, judgedReasoning, scoreReasoning } from './score-bounds.ts';

export function createScores({
  store,
  ask,
  now,
  queueScoring,
  runs,
  budget,
}: Pick<Dependencies, 'store' | 'ask' | 'now' | 'queueScoring'> & { runs: Runs; budget: Budget }) {
  /** The metric of a version: the run's own, or any other of the organization. */
  async function metricOf(identity: Identity, run: StoredRun, metricVersionId: string) {
    const own = run.metrics.find((metric) => metric.metricVersionId === metricVersionId);
    if (own) return { ...own, isOutside: false };
    const { version } = await ask.metrics.version(identity, { metricVersionId });
    if (!version) throw notFound('metric version', metricVersionId);
    return { ...version, isOutside: true };
  }

  /** For whom a score is recorded: the key's member, or another member who is named. */
  async function giverOf(identity: Identity, userId: string | undefined): Promise<string> {
    if (userId === undefined || userId === identity.userId) return identity.userId;
    const { found } = await ask.identity.isMember(identity, { userId });
    if (!found) throw invalidAt('/userId', 'does not belong to this organization');
    return userId;
  }

  async function change(
    identity: Identity,
    {
      run,
      recordId,
      transition,
    }: { run: StoredRun; recordId: string; transition: (states: ScoreStates) => ScoreStates },
  ): Promise<void> {
    const changed = await store.records.changeScoreStates(identity.organizationId, {
      run,
      ids: [recordId],
      change: transition,
    });
    if (changed.length === 0) throw notFound('record', recordId);
  }

  return {
    async put(
      identity: Identity,
      recordId: string,
      metricVersionId: string,
      body: { score?: JsonText; userId?: string },
    ) {
      const { run } = await runs.recordOf(identity, recordId);
      const metric = await metricOf(identity, run, metricVersionId);
      if (!body.score && metric.evalType !== 'human')
        throw invalidAt('/score', 'is required, because the metric is not scored by people');
      const userId = await giverOf(identity, body.userId);
      const score: StoredScore = {
        metricVersionId,
        userId,
        ...(body.score
          ? given(body.score, metric.outputType)
          : { text: '{}', value: null, isPending: true }),
        source: sourceOf(metric),
        createdAt: now(),
        ...(metric.isOutside ? { isOutside: true } : {}),
      };
      const transition = (states: ScoreStates): ScoreStates => {
        // Its metric may have joined the run since the run was read.
        const { isOutside, ...inside } = score;
        const isOutsideStill = isOutside && !knowsVersion(states, metricVersionId);
        const scored = withScore(states, isOutsideStill ? score : inside, metric.annotators);
        checkRoom(states, scored);
        return scored;
      };
      await change(identity, { run, recordId, transition });
      if (body.score && metric.evalType === 'human')
        await store.leases.release(identity.organizationId, recordId, {
          userId,
          metricVersionIds: [metricVersionId],
          now: score.createdAt,
        });
      return toScoreReply(recordId, score);
    },

    /**
     * A deleted score is missing again: the service makes its own anew. Where several members
     * score, it is one member's that goes.
     */
    async delete(
      identity: Identity,
      recordId: string,
      metricVersionId: string,
      ofUserId: string | undefined,
    ): Promise<{ deleted: 0 | 1 }> {
      const { run } = await runs.recordOf(identity, recordId);
      const metric = await metricOf(identity, run, metricVersionId);
      const userId = metric.annotators > 1 ? (ofUserId ?? identity.userId) : ofUserId;
      let deleted = 0 as 0 | 1;
      const transition = (states: ScoreStates): ScoreStates => {
        const isMeant = (score: StoredScore) =>
          score.metricVersionId === metricVersionId &&
          (userId === undefined || score.userId === userId);
        deleted = states.scores.some(isMeant) ? 1 : 0;
        if (deleted === 0) return states;
        if (metric.annotators > 1)
          return withoutScoreOf(states, {
            metricVersionId,
            userId: userId!,
            annotators: metric.annotators,
          });
        if (metric.isOutside) return without(states, metricVersionId);
        return metric.isScoredByService
          ? withPending(states, metricVersionId)
          : withAwaited(states, metricVersionId);
      };
      await change(identity, { run, recordId, transition });
      if (deleted === 1 && metric.evalType === 'human')
        await store.leases.open(identity.organizationId, [recordId], [metricVersionId]);
      if (deleted === 1 && metric.isScoredByService && !metric.isOutside)
        queueScoring(identity.organizationId, run.id, [recordId]);
      return { deleted };
    },

    /**
     * Stores the scoring service's judgements of one run's records. Skips judgements whose score is
     * not pending any more, so a repeat changes nothing.
     */
    async accept(
      identity: Identity,
      { runId, judgements }: { runId: string; judgements: Judgement[] },
    ): Promise<{ accepted: number; isPaused: boolean; budget: RunBudget }> {
      const { organizationId } = identity;
      const run = await store.runs.find(organizationId, runId);
      if (!run) return { accepted: 0, isPaused: true, budget: null };
      const at = now();
      const byRecord = new Map<string, Judgement[]>();
      for (const judgement of judgements)
        byRecord.set(judgement.recordId, [...(byRecord.get(judgement.recordId) ?? []), judgement]);
      // By record, because the change runs again when its transaction does.
      const accepted = new Map<string, number>();
      await store.records.changeScoreStates(organizationId, {
        run,
        ids: [...byRecord.keys()],
        change: (record) => {
          const awaited = byRecord
            .get(record.id)!
            .filter(({ metricVersionId }) => record.pending.includes(metricVersionId));
          accepted.set(record.id, awaited.length);
          if (awaited.length === 0) return undefined;
          const states = awaited.reduce<ScoreStates>(
            (states, judgement) => settle(states, judgement, run, at),
            scoreStatesOf(record),
          );
          return {
            ...states,
            spentNanoUsd: awaited.reduce((sum, judgement) => sum + costOf(judgement), 0),
            cachedAnswers: awaited.reduce((sum, judgement) => sum + cachedVotesOf(judgement), 0),
          };
        },
      });
      // Perhaps the last score that the next look waited for.
      if (run.stopping && !run.stopping.decision) queueScoring(organizationId, runId, []);
      return {
        accepted: [...accepted.values()].reduce((sum, count) => sum + count, 0),
        isPaused: run.isPaused,
        budget: await budget.budgetOf(identity.organizationId, run),
      };
    },
  };
}

function given(score: JsonText, outputType: Parameters<typeof readScore>[0]) {
  const { value, validationErrors } = readScore(
    outputType,
    score.parse() as Record<string, unknown>,
  );
  return {
    text: score.toString(),
    value,
    ...(validationErrors.length > 0 ? { validationErrors } : {}),
  };
}

const costOf = ({ outcome }: Judgement): number =>
  nanoUsd((outcome.kind === 'score' ? outcome.provenance.costUsd : outcome.costUsd) ?? 0);

const cachedVotesOf = ({ outcome }: Judgement): number =>
  (outcome.kind === 'score' && outcome.provenance.cachedVotes) || 0;

function settle(
  states: ScoreStates,
  { metricVersionId, outcome }: Judgement,
  run: StoredRun,
  at: Date,
): ScoreStates {
  if (outcome.kind === 'failure') {
    return withFailure(states, {
      metricVersionId,
      code: outcome.code,
      message: outcome.message,
      attempts: outcome.attempts,
      at,
    });
  }
  const { outputType } = run.metrics.find((metric) => metric.metricVersionId === metricVersionId)!;
  const judged = outcome.votes
    ? withJudgement(states, metricVersionId, {
        votes: outcome.votes,
        reasoning: judgedReasoning(outcome.reasoning),
        ...(outcome.provenance.cachedVotes ? { isCached: true } : {}),
      })
    : states;
  return withScore(judged, {
    metricVersionId,
    userId: 'background-job',
    text: madeScore(
      outputType,
      outcome.value,
      scoreReasoning(without(states, metricVersionId), outcome.reasoning),
    ),
    value: outcome.value,
    source: outcome.source,
    createdAt: at,
    provenance: outcome.provenance,
  });
}

/**
 * Whoever gives it, the score of a heuristic metric without an evaluator comes from a program: it is
 * no opinion of a person (contract section 3).
 */
const sourceOf = ({
  evalType,
  isScoredByService,
}: Pick<MetricVersionOutline, 'evalType' | 'isScoredByService'>) =>
  evalType === 'heuristic' && !isScoredByService ? ('heuristic' as const) : ('human' as const);

export const toScoreReply = (
  recordId: string,
  { metricVersionId, userId, text, validationErrors, source, createdAt, provenance }: StoredScore,
) => ({
  recordId,
  metricConfigId: metricVersionId,
  userId,
  score: new JsonText(text),
  validationErrors,
  source,
  createdAt: createdAt.toISOString(),
  provenance,
});
