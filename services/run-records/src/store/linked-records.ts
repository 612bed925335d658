import type { Database } from '@assay/runtime/mongo/database';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import type { RecordOutcome } from '../domain/accounts/outcomes.ts';
import { type Envelope, type RecordDocument, recordBytes, toEnvelope } from './record.ts';

/** A record that names a trace; with its scores where these are asked for. */
export interface LinkedRecord {
  id: string;
  runId: string;
  otelLinkId: string;
  outcomes: RecordOutcome[];
  envelope: Envelope | undefined;
}

/** Names that are looked up together: MongoDB reads the index in order for up to 200 of them. */
const namesTogetherMax = 200;

const outcomesOnly = { runId: 1, otelLinkId: 1, outcomes: 1 } as const;
const withoutPayloads = { kept: 0, judged: 0 } as const;

/** The records that name traces by their `otelLinkId`. */
export function createLinkedRecordStore(database: Database) {
  const records = database.collection<RecordDocument>('records');

  return {
    /** Returns the newest records with one of these as their `otelLinkId`. */
    async findNewest(
      organizationId: string,
      linkIds: string[],
      { limit, withScores }: { limit: number; withScores: boolean },
    ): Promise<LinkedRecord[]> {
      const found: LinkedRecord[] = [];
      for (let at = 0; at < linkIds.length; at += namesTogetherMax) {
        const otelLinkId = { $in: linkIds.slice(at, at + namesTogetherMax) };
        const cursor = records
          .find(
            { organizationId, otelLinkId },
            { projection: withScores ? withoutPayloads : outcomesOnly },
          )
          .sort({ _id: -1 })
          .limit(limit);
        const { documents } = await takeWithin(cursor, { itemsMax: limit, bytesOf: recordBytes });
        for (const document of documents)
          found.push({
            id: document._id,
            runId: document.runId,
            otelLinkId: document.otelLinkId!,
            outcomes: document.outcomes ?? [],
            envelope: withScores ? toEnvelope(document) : undefined,
          });
      }
      return found.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
    },
  };
}
