import type { ScoreFailureCode } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo';

/** A judgement that failed, for whoever looks into it: what the record's own failure does not say. */
export interface FailedJudgement {
  id: string;
  runId: string;
  recordId: string;
  metricVersionId: string;
  code: ScoreFailureCode;
  message: string;
  at: Date;
}

type JudgementDocument = Omit<FailedJudgement, 'id'> & { _id: string; organizationId: string; expiresAt: Date };

/** Days for which failed judgements are kept. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export type Store = ReturnType<typeof createStore>;

export function createStore(database: Database) {
  const judgements = database.collection<JudgementDocument>('judgements');
  return {
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
