import { timestamp } from '@assay/contracts/fields';
import { JsonText } from '@assay/contracts/payload';
import { recordFields, recordWithScores } from '@assay/contracts/run-records';
import { onOneLine } from '@assay/runtime/http/chunks';
import { compileSerializer } from '@assay/runtime/http/serialize';
import type { ExportedRecord } from '../../store/export.ts';
import { toScoreReply } from '../scores/scores.ts';
import { type Part, readyBytes } from './ready-bytes.ts';

/**
 * Writes one line per record: the fields that reading the record returns, and the other fields that
 * the client gave, so that the record can be created again.
 */
export function createLines(): (
  batches: AsyncIterable<ExportedRecord[]>,
) => AsyncGenerator<Uint8Array[]> {
  const { clientId, otelLinkId, sessionId, tags } = recordFields;
  const serialize = compileSerializer(
    recordWithScores.extend({ createdAt: timestamp(), clientId, otelLinkId, sessionId, tags }),
  );

  function partsOf(record: ExportedRecord): Part[] {
    const parts = serialize(lineOf(record));
    parts.push('\n');
    return parts;
  }

  return (batches) => readyBytes(batches, { partsOf, rewrite: onOneLine });
}

/**
 * Each field by its name: to spread one object into another costs more than all else that is done
 * for a record.
 */
const lineOf = (record: ExportedRecord) => ({
  id: record.id,
  runId: record.runId,
  testcaseId: record.testcaseId ?? undefined,
  inputs: record.inputs,
  expected: record.expected,
  outputs: record.outputs,
  error: record.error,
  systemAttempts: record.systemAttempts,
  notes: record.notes,
  metrics: record.metrics,
  metadata: record.metadata === undefined ? undefined : new JsonText(Buffer.from(record.metadata)),
  scores: record.scores.map((score) => toScoreReply(record.id, score)),
  createdAt: record.createdAt.toISOString(),
  clientId: record.clientId,
  otelLinkId: record.otelLinkId,
  sessionId: record.sessionId,
  tags: record.tags,
});
