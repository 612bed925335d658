import type { RecordMetrics, RecordNote, SystemError } from '@assay/contracts/run-records';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import type { Database } from '@assay/runtime/mongo/database';
import type { PayloadStore, Payloads } from './payloads.ts';
import type { Envelope, RecordDocument } from './record.ts';

/** The fields of a record that an export contains. */
export interface ExportedRecord
  extends Pick<Envelope, 'id' | 'runId' | 'testcaseId' | 'createdAt' | 'awaited' | 'scores'>,
    Payloads {
  clientId: string | undefined;
  otelLinkId: string | undefined;
  sessionId: string | undefined;
  tags: string[];
  error: SystemError | undefined;
  systemAttempts: number | undefined;
  notes: RecordNote[] | undefined;
  metrics: RecordMetrics | undefined;
  /** As JSON text. */
  metadata: string | undefined;
}

const projection = {
  runId: 1,
  testcaseId: 1,
  createdAt: 1,
  clientId: 1,
  otelLinkId: 1,
  sessionId: 1,
  'tags.text': 1,
  error: 1,
  systemAttempts: 1,
  notes: 1,
  metrics: 1,
  metadata: 1,
  awaited: 1,
  scores: 1,
  kept: 1,
};

/** Records in a batch, where they are small: MongoDB ends a batch at 16 MiB in any case. */
const batchRecordsMax = 100;
/** Records that are read from their bytes before the event loop may turn. */
const openedAtOnce = 20;

export function createExportStore({
  database,
  payloads,
}: {
  database: Database;
  payloads: PayloadStore;
}) {
  const records = database.collection<RecordDocument>('records');

  const toExported = (document: RecordDocument): ExportedRecord => {
    const { inputs, expected, outputs } = payloads.open(document._id, document.kept);
    return {
      id: document._id,
      runId: document.runId,
      testcaseId: document.testcaseId,
      createdAt: document.createdAt,
      clientId: document.clientId,
      otelLinkId: document.otelLinkId,
      sessionId: document.sessionId,
      tags: document.tags?.map(({ text }) => text) ?? [],
      error: document.error,
      systemAttempts: document.systemAttempts,
      notes: document.notes,
      metrics: document.metrics,
      metadata: document.metadata,
      awaited: document.awaited,
      scores: document.scores,
      inputs,
      expected,
      outputs,
    };
  };

  return {
    /**
     * Yields all records of a run, oldest first, some at once. Reads the next ones when the caller
     * asks for them. A caller that stops early must call `return`.
     */
    async *listAll(organizationId: string, runId: string): AsyncGenerator<ExportedRecord[]> {
      const cursor = records
        .find({ organizationId, runId }, { projection })
        .sort({ _id: 1 })
        .batchSize(batchRecordsMax);
      try {
        while (await cursor.hasNext()) {
          yield cursor.readBufferedDocuments(openedAtOnce).map(toExported);
          const turn = nextTurn();
          if (turn) await turn;
        }
      } finally {
        await cursor.close();
      }
    },
  };
}
