import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import { recordNotesMax } from '@assay/contracts/record-notes';
import type { Judgement, RecordNote, RunBudget } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import { withGiven } from '../accounts/given-score.ts';
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
import { madeScore, notApplicableScore } from '../accounts/score-value.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Budget } from '../runs/budget.ts';
import type { Runs } from '../runs/runs.ts';
import { givenScore } from './given-scores.ts';
import { checkRoom, judgedReasoning, scoreReasoning } from './score-bounds.ts';
import type { ScoredMetrics } from './scored-metrics.ts';

export function createScores({
  store,
  now,
  queueScoring,
  runs,
  budget,
  scoredMetrics,
}: Pick<Dependencies, 'store' | 'now' | 'queueScoring'> & {
  runs: Runs;
  budget: Budget;
  scoredMetrics: ScoredMetrics;
}) {
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
      const metric = await scoredMetrics.ofVersion(identity, run, metricVersionId);
      const { userId: forUserId, score: text } = body;
      const giver =
        text || metric.evalType === 'human'
          ? await scoredMetrics.giverOf(identity, forUserId)
          : { userId: identity.userId };
      const { userId } = giver;
      const given = givenScore(metric, { score: text, giver, createdAt: now() });
      await change(identity, {
        run,
        recordId,
        transition: (states) => {
          const scored = withGiven(states, given, run.metrics);
          checkRoom(states, scored);
          return scored;
        },
      });
      const { score } = given;
      if (text && metric.evalType === 'human')
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
      const metric = await scoredMetrics.ofVersion(identity, run, metricVersionId);
      const isOutside = run.metrics.every((own) => own.metricVersionId !== metricVersionId);
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
        if (isOutside) return without(states, metricVersionId);
        return metric.isScoredByService
          ? withPending(states, metricVersionId)
          : withAwaited(states, metricVersionId);
      };
      await change(identity, { run, recordId, transition });
      if (deleted === 1 && metric.evalType === 'human')
        await store.leases.open(identity.organizationId, [recordId], [metricVersionId]);
      if (deleted === 1 && metric.isScoredByService && !isOutside)
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
            ...withNotes(record.notes, awaited),
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

/** The notes of a record with those of its judgements; nothing where they say nothing new. */
function withNotes(before: RecordNote[] = [], judgements: Judgement[]): { notes?: RecordNote[] } {
  const notes = [...before];
  for (const { notes: own = [] } of judgements)
    for (const note of own)
      if (notes.length < recordNotesMax && !notes.some((known) => isSameNote(known, note)))
        notes.push(note);
  return notes.length > before.length ? { notes } : {};
}

const isSameNote = (one: RecordNote, other: RecordNote): boolean =>
  one.code === other.code && one.path === other.path && one.message === other.message;

const costOf = ({ outcome }: Judgement): number =>
  nanoUsd((outcome.kind === 'failure' ? outcome.costUsd : outcome.provenance.costUsd) ?? 0);

const cachedVotesOf = ({ outcome }: Judgement): number =>
  outcome.kind === 'failure' ? 0 : (outcome.provenance.cachedVotes ?? 0);

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
  const made = {
    metricVersionId,
    userId: 'background-job',
    source: outcome.source,
    createdAt: at,
    provenance: outcome.provenance,
  };
  const reasoning = scoreReasoning(without(states, metricVersionId), outcome.reasoning);
  if (outcome.kind === 'notApplicable')
    return withScore(states, {
      ...made,
      text: notApplicableScore(reasoning),
      value: null,
      isNotApplicable: true,
    });
  const { outputType } = run.metrics.find((metric) => metric.metricVersionId === metricVersionId)!;
  const judged = outcome.votes
    ? withJudgement(states, metricVersionId, {
        votes: outcome.votes,
        reasoning: judgedReasoning(outcome.reasoning),
        ...(outcome.provenance.cachedVotes ? { isCached: true } : {}),
      })
    : states;
  return withScore(judged, {
    ...made,
    text: madeScore(outputType, outcome.value, reasoning),
    value: outcome.value,
  });
}

export const toScoreReply = (
  recordId: string,
  {
    metricVersionId,
    userId,
    recordedByUserId,
    text,
    validationErrors,
    source,
    createdAt,
    provenance,
  }: StoredScore,
) => ({
  recordId,
  metricConfigId: metricVersionId,
  userId,
  recordedByUserId,
  score: new JsonText(text),
  validationErrors,
  source,
  createdAt: createdAt.toISOString(),
  provenance,
});
