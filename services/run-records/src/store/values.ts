import type { Payload } from '@assay/contracts/payload';
import type { JudgeCosts, RecordMetrics, SystemError } from '@assay/contracts/run-records';
import { inSlices } from '@assay/runtime/concurrency/event-loop';
import type { Database } from '@assay/runtime/mongo/database';
import type { JudgementHistory, ScoreStates, ScoreValue } from '../domain/accounts/score-states.ts';
import type { PayloadStore } from './payloads.ts';
import type { RecordDocument } from './record.ts';
import { scoreValues } from './review.ts';

/**
 * The fields of a record from which results are computed: the values of its scores, without their
 * reasons.
 */
export interface ScoredRecord extends Pick<ScoreStates, 'awaited'> {
  id: string;
  testcaseId: string | null;
  scores: ScoreValue[];
  failures: { metricVersionId: string }[];
  error?: Pick<SystemError, 'name' | 'status'>;
  errored?: string[];
  contentHash?: string;
  metrics?: RecordMetrics;
  judged?: {
    metricVersionId: string;
    judgements: Pick<JudgementHistory['judgements'][number], 'votes' | 'isCached'>[];
  }[];
}

interface JudgeSums extends Omit<JudgeCosts, 'model' | 'priced'> {
  _id: string;
  pricedVotes: number;
  costUsd: number;
}

const projection = {
  testcaseId: 1,
  awaited: 1,
  ...scoreValues,
  'failures.metricVersionId': 1,
  'error.name': 1,
  'error.status': 1,
  errored: 1,
};
const votes = {
  'judged.metricVersionId': 1,
  'judged.judgements.votes': 1,
  'judged.judgements.isCached': 1,
};

/**
 * The values of a run's records, and the inputs that they are of: oldest first, as they are read.
 */
export function createValueStore({
  database,
  payloads,
}: {
  database: Database;
  payloads: PayloadStore;
}) {
  const records = database.collection<RecordDocument>('records');
  return {
    async *listScored(
      organizationId: string,
      runId: string,
      {
        withVotes,
        withHashes = false,
        withMetrics = false,
      }: {
        withVotes: boolean;
        withHashes?: boolean | undefined;
        withMetrics?: boolean | undefined;
      },
    ): AsyncIterable<ScoredRecord> {
      const fields = {
        ...projection,
        ...(withVotes && votes),
        ...(withHashes && { contentHash: 1 }),
        ...(withMetrics && { metrics: 1 }),
      };
      const found = records
        .find({ organizationId, runId }, { projection: fields })
        .sort({ _id: 1 })
        .batchSize(500);
      for await (const { _id: id, testcaseId, awaited, scores, failures, ...others } of inSlices(
        found,
      )) {
        const { judged, contentHash, metrics, error, errored } = others;
        yield {
          id,
          testcaseId,
          awaited,
          scores,
          failures,
          ...(error && { error }),
          ...(errored && { errored }),
          ...(judged && { judged }),
          ...(contentHash && { contentHash }),
          ...(metrics && { metrics }),
        };
      }
    },

    /** The tokens and the cost of the scores of a metric version, by the model that gave them. */
    async sumJudgeCosts(
      organizationId: string,
      runId: string,
      metricVersionId: string,
    ): Promise<JudgeCosts[]> {
      const provenance = '$scores.provenance';
      const isPriced = { $ne: [{ $type: `${provenance}.costUsd` }, 'missing'] };
      const votes = { $ifNull: [`${provenance}.votes`, 1] };
      const sums = records.aggregate<JudgeSums>([
        { $match: { organizationId, runId, 'scores.metricVersionId': metricVersionId } },
        { $project: { 'scores.metricVersionId': 1, 'scores.provenance': 1 } },
        { $unwind: '$scores' },
        {
          $match: {
            'scores.metricVersionId': metricVersionId,
            'scores.provenance.model': { $type: 'string' },
            // Answers from the cache cost nothing, and say nothing of what others will cost.
            'scores.provenance.cachedVotes': { $exists: false },
          },
        },
        {
          $group: {
            _id: `${provenance}.model`,
            scores: { $sum: 1 },
            votes: { $sum: votes },
            inputTokens: { $sum: `${provenance}.inputTokens` },
            outputTokens: { $sum: `${provenance}.outputTokens` },
            pricedVotes: { $sum: { $cond: [isPriced, votes, 0] } },
            costUsd: { $sum: `${provenance}.costUsd` },
          },
        },
        { $sort: { scores: -1, _id: 1 } },
      ]);
      return (await sums.toArray()).map(({ _id: model, pricedVotes, costUsd, ...sum }) => ({
        model,
        ...sum,
        priced: { votes: pricedVotes, costUsd },
      }));
    },

    async *listInputs(
      organizationId: string,
      runId: string,
    ): AsyncIterable<{ id: string; testcaseId: string | null; inputs: Payload }> {
      const found = records
        .find(
          { organizationId, runId },
          { projection: { testcaseId: 1, 'kept.inputs': 1, 'kept.chunked': 1 } },
        )
        .sort({ _id: 1 })
        .batchSize(500);
      for await (const { _id: id, testcaseId, kept } of inSlices(found))
        yield { id, testcaseId, inputs: payloads.open(id, kept).inputs };
    },

    /** The tags of those records that have some. */
    async *listTags(
      organizationId: string,
      runId: string,
    ): AsyncIterable<{ recordId: string; testcaseId: string | null; tags: string[] }> {
      const found = records
        .find(
          { organizationId, runId, tags: { $exists: true } },
          { projection: { testcaseId: 1, 'tags.text': 1 } },
        )
        .hint({ organizationId: 1, runId: 1, 'tags.text': 1, _id: 1 })
        .batchSize(500);
      for await (const { _id: recordId, testcaseId, tags = [] } of inSlices(found))
        yield { recordId, testcaseId, tags: tags.map(({ text }) => text) };
    },

    /** The inputs and expected of some records; those that were deleted are left out. */
    async *listContents(
      organizationId: string,
      runId: string,
      recordIds: readonly string[],
    ): AsyncIterable<{ id: string; inputs: Payload; expected: Payload }> {
      const found = records
        .find(
          { _id: { $in: [...recordIds] }, organizationId, runId },
          { projection: { 'kept.inputs': 1, 'kept.expected': 1, 'kept.chunked': 1 } },
        )
        .batchSize(10);
      for await (const { _id: id, kept } of found) {
        const { inputs, expected } = payloads.open(id, kept);
        yield { id, inputs, expected };
      }
    },
  };
}
