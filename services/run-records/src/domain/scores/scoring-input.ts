import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import { isSpent } from '../accounts/money.ts';
import type { ScoreValue } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Budget } from '../runs/budget.ts';
import type { Runs } from '../runs/runs.ts';

/** Bytes of payload in one reply to the scoring service. */
const replyBytesMax = 24 * 1024 * 1024;

/** Reads the records that the scoring service works on. */
export function createScoringInput({
  store,
  runs,
  budget,
}: Pick<Dependencies, 'store'> & { runs: Runs; budget: Budget }) {
  return {
    /**
     * Returns records with the metric versions that a model has to judge or, without a model, those
     * that need no judge: as many records as one reply can hold. Returns nothing of a paused run,
     * and nothing for a judge if the run's budget is spent.
     */
    async readForScoring(
      identity: Identity,
      { runId, recordIds, model }: { runId: string; recordIds: string[]; model: string | null },
    ) {
      const { organizationId } = identity;
      const run = await store.runs.find(organizationId, runId);
      if (!run || run.isPaused) return nothing;
      const ids =
        model === null
          ? recordIds
          : await store.judging.findReleased(organizationId, run, recordIds);
      const remainingBudget = model === null ? null : await budget.budgetOf(organizationId, run);
      if (isSpent(remainingBudget)) {
        await budget.exhaust(organizationId, run, ids);
        return nothing;
      }
      const mine = run.metrics
        .filter(({ evalType, evalModelName }) =>
          model === null ? evalType !== 'ai' : evalModelName === model,
        )
        .map(({ metricVersionId }) => metricVersionId);
      const wanted = { runId, ids, metricVersionIds: mine, bytesMax: replyBytesMax };
      const { found, remaining } = await store.records.findPending(organizationId, wanted);
      return {
        records: found.map(({ cacheExceptions = [], ...record }) => {
          const pending = record.pending.filter((id) => mine.includes(id));
          const uncached = pending.filter(
            (id) => (run.cache === 'bypass') !== cacheExceptions.includes(id),
          );
          return { ...record, pending, ...(uncached.length > 0 ? { uncached } : {}) };
        }),
        remaining,
        projectId: run.projectId,
        budget: remainingBudget,
      };
    },

    /**
     * A run's oldest records with a score of a metric, as many as are wanted and fit into one
     * reply.
     */
    async readForPreview(
      identity: Identity,
      {
        runId,
        projectId,
        metricId,
        limit,
      }: { runId: string; projectId: string; metricId: string; limit: number },
    ) {
      const run = await runs.runOf(identity, runId);
      if (run.projectId !== projectId) throw notFound('run', runId);
      // The newest version first: where a record was scored anew, its latest score counts.
      const versions = run.metrics
        .filter((metric) => metric.metricId === metricId)
        .map((metric) => metric.metricVersionId);
      versions.reverse();
      const wanted = { runId, metricVersionIds: versions, limit, bytesMax: replyBytesMax };
      const records = await store.records.listScored(identity.organizationId, wanted);
      return {
        records: records.map(({ scores, ...record }) => ({
          ...record,
          ...scoreValue(scores, versions),
        })),
      };
    },

    /**
     * A run's oldest records, or one record, of that run where one is named: as many as are wanted
     * and fit into one reply.
     */
    async readForTrial(
      identity: Identity,
      {
        projectId,
        wanted,
      }: {
        projectId: string;
        wanted: { runId: string; limit: number } | { runId?: string | undefined; recordId: string };
      },
    ) {
      if ('recordId' in wanted) {
        const { recordId, runId } = wanted;
        const record = await store.records.find(identity.organizationId, recordId);
        const run = record && (await store.runs.find(identity.organizationId, record.runId));
        const isWanted = run?.projectId === projectId && (runId ?? run.id) === run.id;
        if (!record || !isWanted) throw notFound('record', recordId);
        return { records: [record] };
      }
      const { runId, limit } = wanted;
      const run = await runs.runOf(identity, runId);
      if (run.projectId !== projectId) throw notFound('run', runId);
      const oldest = { runId, metricVersionIds: undefined, limit, bytesMax: replyBytesMax };
      return { records: await store.records.listScored(identity.organizationId, oldest) };
    },
  };
}

/** The value of the first of these metric versions that has one. */
function scoreValue(
  scores: ScoreValue[],
  metricVersionIds: string[],
): { metricVersionId: string; value: boolean | number } {
  for (const metricVersionId of metricVersionIds) {
    const score = scores.find(
      (score) => score.metricVersionId === metricVersionId && score.value !== null,
    );
    if (score) return { metricVersionId, value: score.value! };
  }
  throw new Error('a record was listed by a value that it does not have');
}

const nothing = { records: [], remaining: [], budget: null };
