import type { Payload } from '@assay/contracts/payload';
import { inSlices } from '@assay/runtime/event-loop';
import type { Database } from '@assay/runtime/mongo';
import type { ScoreValue } from '../domain/accounts/ratings.ts';
import type { ScoreStates } from '../domain/accounts/score-states.ts';
import type { PayloadStore } from './payloads.ts';
import type { RecordDocument } from './record.ts';
import { scoreValues } from './review.ts';

/** The fields of a record that a comparison reads. */
export interface ScoredRecord extends Pick<ScoreStates, 'awaited'> {
  id: string;
  testcaseId: string | null;
  scores: ScoreValue[];
}

export type ValueStore = ReturnType<typeof createValueStore>;

/** The values of a run's records, and the inputs that they are of: oldest first, as they are read. */
export function createValueStore({ database, payloads }: { database: Database; payloads: PayloadStore }) {
  const records = database.collection<RecordDocument>('records');
  return {
    async *listScored(organizationId: string, runId: string): AsyncIterable<ScoredRecord> {
      const found = records
        .find({ organizationId, runId }, { projection: { testcaseId: 1, awaited: 1, ...scoreValues } })
        .sort({ _id: 1 })
        .batchSize(500);
      for await (const { _id: id, testcaseId, awaited, scores } of inSlices(found)) yield { id, testcaseId, awaited, scores };
    },

    /** The inputs of those records that are of a testcase. */
    async *listInputs(organizationId: string, runId: string): AsyncIterable<{ testcaseId: string; inputs: Payload }> {
      const found = records
        .find({ organizationId, runId, testcaseId: { $ne: null } }, { projection: { testcaseId: 1, 'kept.inputs': 1, 'kept.chunked': 1 } })
        .sort({ _id: 1 })
        .batchSize(500);
      for await (const { _id, testcaseId, kept } of inSlices(found))
        yield { testcaseId: testcaseId!, inputs: payloads.open(_id, kept).inputs };
    },
  };
}
