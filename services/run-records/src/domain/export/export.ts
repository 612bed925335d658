import type { Identity, StreamReply } from '@assay/contracts/define';
import { inChunks } from '@assay/runtime/http/chunks';
import { linesReply } from '@assay/runtime/http/lines';
import type { ExportedRecord } from '../../store/export.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';
import { csvOf } from './csv.ts';
import { createLines } from './lines.ts';
import { parquetOf } from './parquet.ts';
import { tableOf } from './table.ts';

export type ExportFormat = 'ndjson' | 'csv' | 'parquet';

export function createExports({
  store,
  encodeParquet,
  runs,
}: Pick<Dependencies, 'store' | 'encodeParquet'> & { runs: Runs }) {
  const linesOf = createLines();

  async function* recordsOf(
    identity: Identity,
    { id, expired }: StoredRun,
  ): AsyncGenerator<ExportedRecord[]> {
    if (expired) return;
    yield* store.exports.listAll(identity.organizationId, id);
    // A run that was deleted meanwhile lost records that were not sent yet: its export must not end
    // as a whole one does.
    await runs.runOf(identity, id);
  }

  return {
    /**
     * Streams all records of a run with their scores, oldest first. A fault before the first byte
     * is answered like any other failure; a later one ends the connection, because the export is
     * incomplete.
     */
    async exportRecords(
      identity: Identity,
      runId: string,
      format: ExportFormat,
    ): Promise<StreamReply> {
      const run = await runs.shownRunOf(identity, runId);
      const records = recordsOf(identity, run);
      switch (format) {
        case 'ndjson':
          return linesReply(linesOf(records));
        case 'csv':
          return {
            contentType: 'text/csv; charset=utf-8',
            stream: inChunks(csvOf(tableOf(run.metrics), records)),
          };
        case 'parquet':
          return {
            contentType: 'application/vnd.apache.parquet',
            stream: parquetOf(tableOf(run.metrics), records, (task) =>
              encodeParquet(identity.organizationId, task),
            ),
          };
      }
    },
  };
}
