import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import { StoredJsonText } from '@assay/contracts/payload';
import type { StoredRecord } from '../store/record.ts';
import type { StoredRun } from '../store/runs.ts';
import { isSpent } from './money.ts';
import type { Parts } from './parts.ts';
import type { Rescoring } from './rescoring.ts';
import type { Runs } from './runs.ts';

/** Bytes of payload in one reply to the scoring service. */
const replyBytesMax = 24 * 1024 * 1024;

/** What the scoring service is given to work on. */
export function createScoringInput({ store, runs, rescoring }: Pick<Parts, 'store'> & { runs: Runs; rescoring: Rescoring }) {
  const findMine = async (organizationId: string, run: StoredRun, ids: string[], isMine: (metricVersionId: string) => boolean) =>
    (await store.records.findMany(organizationId, run.id, ids)).flatMap((record) => {
      const pending = record.pending.filter(isMine);
      return pending.length > 0 ? [{ record, pending }] : [];
    });

  return {
    /**
     * Records with what a model has to judge, or, without one, what is evaluated without a judge: as many as one reply can hold. Nothing
     * of a paused run, and nothing for a judge of a run whose budget is spent.
     */
    async readForScoring(identity: Identity, { runId, recordIds, model }: { runId: string; recordIds: string[]; model: string | null }) {
      const { organizationId } = identity;
      const run = await store.runs.find(organizationId, runId);
      if (!run || run.isPaused) return nothing;
      const budget = model === null ? null : await runs.budgetOf(identity, run);
      if (isSpent(budget)) {
        await rescoring.exhaustBudget(identity, run, recordIds);
        return nothing;
      }
      const mine = new Set(
        run.metrics
          .filter(({ evalType, evalModelName }) => (model === null ? evalType !== 'ai' : evalModelName === model))
          .map(({ metricVersionId }) => metricVersionId),
      );
      const pending = await findMine(organizationId, run, recordIds, (id) => mine.has(id));
      const fitting = pending.slice(0, fittingCount(pending.map(({ record }) => bytesOf(record))));
      return {
        records: fitting.map(({ record, pending }) => ({ ...toInput(record), pending })),
        remaining: pending.slice(fitting.length).map(({ record }) => record.id),
        budget,
      };
    },

    /** A run's oldest records with a score of a metric, as many as are wanted and fit into one reply. */
    async readForPreview(
      identity: Identity,
      { runId, projectId, metricId, limit }: { runId: string; projectId: string; metricId: string; limit: number },
    ) {
      const run = await runs.runOf(identity, runId);
      if (run.projectId !== projectId) throw notFound('run', runId);
      // The newest version first: where a record was scored anew, its latest score counts.
      const versions = run.metrics.filter((metric) => metric.metricId === metricId).map((metric) => metric.metricVersionId);
      versions.reverse();
      const records = await store.records.listScored(identity.organizationId, { runId, metricVersionIds: versions, limit });
      return {
        records: records
          .slice(0, fittingCount(records.map(bytesOf)))
          .map((record) => ({ ...toInput(record), ...scoreValue(record, versions) })),
      };
    },
  };
}

/** The value of the first of these metric versions that has one. */
function scoreValue({ scores }: StoredRecord, metricVersionIds: string[]): { metricVersionId: string; value: boolean | number } {
  for (const metricVersionId of metricVersionIds) {
    const score = scores.find((score) => score.metricVersionId === metricVersionId && score.value !== null);
    if (score) return { metricVersionId, value: score.value! };
  }
  throw new Error('a record was listed by a value that it does not have');
}

const nothing = { records: [], remaining: [], budget: null };

const toInput = ({ id, inputs, expected, outputs }: StoredRecord) => ({ id, inputs, expected, outputs });

/** How many of these fit into one reply: at least one, so that a large record is scored too. */
function fittingCount(sizes: number[]): number {
  let bytes = 0;
  const over = sizes.findIndex((size, index) => {
    bytes += size;
    return index > 0 && bytes > replyBytesMax;
  });
  return over === -1 ? sizes.length : over;
}

const bytesOf = ({ inputs, expected, outputs }: StoredRecord): number =>
  [inputs, expected, outputs].reduce(
    (sum, payload) => sum + (payload instanceof StoredJsonText ? payload.byteLength : payload.bytes.length),
    0,
  );
