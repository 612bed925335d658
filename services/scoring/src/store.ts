import type { ScoreFailureCode } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo/database';
import { createAnswerStore } from './store/answers.ts';
import { createModelPermitStore } from './store/model-permits.ts';
import { createOutageStore } from './store/outages.ts';
import { createPairwiseStore } from './store/pairwise.ts';
import { createPairwisePartStore } from './store/pairwise-part.ts';

/** A failed judgement, kept for troubleshooting. */
export interface FailedJudgement {
  id: string;
  runId: string;
  recordId: string;
  metricVersionId: string;
  code: ScoreFailureCode;
  message: string;
  at: Date;
}

type JudgementDocument = Omit<FailedJudgement, 'id'> & {
  _id: string;
  organizationId: string;
  expiresAt: Date;
};

/** For how long failed judgements and days' spending are kept. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

/**
 * The cost of an organization's judges on one day, in billionths of a US dollar: whole numbers add
 * up exactly.
 */
interface SpendingDocument {
  _id: string;
  organizationId: string;
  nanoUsd: number;
  expiresAt: Date;
}

export type Store = ReturnType<typeof createStore>;

export function createStore(database: Database, { sweepAfterMs }: { sweepAfterMs: number }) {
  const judgements = database.collection<JudgementDocument>('judgements');
  const spending = database.collection<SpendingDocument>('spending');
  const ofDay = (organizationId: string, day: string) => ({
    _id: `${organizationId}/${day}`,
    organizationId,
  });
  return {
    answers: createAnswerStore(database),
    outages: createOutageStore(database),
    permits: createModelPermitStore(database),
    pairwise: createPairwiseStore(database, { sweepAfterMs }),
    parts: createPairwisePartStore(database),

    /** Returns the cost of judges on a day (YYYY-MM-DD), in billionths of a US dollar. */
    async spentOn(organizationId: string, day: string): Promise<number> {
      return (await spending.findOne(ofDay(organizationId, day)))?.nanoUsd ?? 0;
    },

    /** Adds to the spending of a day, and returns the new total. */
    async spend(
      organizationId: string,
      { day, nanoUsd }: { day: string; nanoUsd: number },
    ): Promise<number> {
      const sum = await spending.findOneAndUpdate(
        ofDay(organizationId, day),
        { $inc: { nanoUsd }, $setOnInsert: { expiresAt: new Date(Date.parse(day) + keptMs) } },
        { upsert: true, returnDocument: 'after' },
      );
      return sum!.nanoUsd;
    },

    async keepFailed(organizationId: string, failed: FailedJudgement[]): Promise<void> {
      if (failed.length === 0) return;
      const documents = failed.map(({ id, ...judgement }) => ({
        _id: id,
        organizationId,
        ...judgement,
        expiresAt: new Date(judgement.at.getTime() + keptMs),
      }));
      await judgements.insertMany(documents, { ordered: false });
    },
  };
}
