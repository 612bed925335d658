import type { BytesReply, IdempotencyKey, Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText, type Payload } from '@assay/contracts/payload';
import type { PreviewRequest } from '@assay/contracts/preview';
import type { RecordMetrics, RecordNote, SystemError } from '@assay/contracts/run-records';
import { withPreviews } from '@assay/runtime/json/preview';
import type { PayloadField, Payloads } from '../../store/payloads.ts';
import type { StoredRecord } from '../../store/record.ts';
import type { StoredRun } from '../../store/runs.ts';
import { missingScoresOf } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';
import { toScoreReply } from '../scores/scores.ts';
import { breakdownRowOf, createRowList } from './breakdown-row.ts';
import {
  createWhenUnlocked,
  creationFailure,
  type NewRecords,
  type RecordBody,
} from './new-records.ts';
import { type RecordQuery, recordListOf } from './record-query.ts';

export interface RecordReply {
  id: string;
  runId: string;
  testcaseId: string | undefined;
  sessionId: string | undefined;
  otelLinkId: string | undefined;
  clientId: string | undefined;
  inputs: Payload;
  expected: Payload;
  outputs: Payload;
  error: SystemError | undefined;
  systemAttempts: number | undefined;
  notes: RecordNote[] | undefined;
  metrics: RecordMetrics | undefined;
  metadata: JsonText | undefined;
}

export type Records = ReturnType<typeof createRecords>;

export function createRecords({
  store,
  ask,
  queueScoring,
  runs,
  newRecords,
}: Pick<Dependencies, 'store' | 'ask' | 'queueScoring'> & { runs: Runs; newRecords: NewRecords }) {
  /** A record is read while traces do not answer, too: then nothing is said of them. */
  async function traceIdsOf(
    identity: Identity,
    { otelLinkId }: Pick<StoredRecord, 'otelLinkId'>,
  ): Promise<{ traceIds?: string[] }> {
    if (otelLinkId === undefined) return {};
    return ask.traces.tracesOf(identity, { linkId: otelLinkId }).catch(() => ({}));
  }

  const listRow = createRowList({ store, ask });

  return {
    /**
     * Answers when the record is durable. The same `otelLinkId` or `clientId` in the same run, and
     * the same Idempotency-Key, give the existing record.
     */
    async create(
      identity: Identity,
      runId: string,
      body: RecordBody,
      idempotencyKey: IdempotencyKey | undefined,
    ): Promise<{ created: boolean; value: RecordReply; replayed?: boolean }> {
      const record = await newRecords.make(identity, runId, body, idempotencyKey);
      const creation = (await createWhenUnlocked([record], store.records.create))[0]!;
      switch (creation.outcome) {
        case 'created':
          if (creation.isPending) queueScoring(identity.organizationId, runId, [record.id]);
          return { created: true, value: toRecordReply({ ...record, ...record.payloads }) };
        case 'replayed':
          // The same body came again, so the first answer is this one with the first id.
          return {
            created: true,
            replayed: true,
            value: toRecordReply({ ...record, ...record.payloads, id: creation.recordId }),
          };
        case 'existing': {
          const existing = await store.records.find(identity.organizationId, creation.recordId);
          if (!existing) throw creationFailure({ outcome: 'deleted meanwhile' }, runId);
          return { created: false, value: toRecordReply(existing) };
        }
        default:
          throw creationFailure(creation, runId);
      }
    },
    async get(identity: Identity, id: string, previews: PreviewRequest | undefined) {
      const record = await store.records.find(identity.organizationId, id);
      const run = record && (await store.runs.find(identity.organizationId, record.runId));
      if (!record || !run) throw notFound('record', id);
      const traceIds = await traceIdsOf(identity, record);
      return { ...(await shown(withStates(run, record), previews)), ...traceIds };
    },
    /** One payload as the bytes that were sent. A record never changes, so its id names them. */
    async payload(
      identity: Identity,
      id: string,
      { field, isDownload }: { field: PayloadField; isDownload: boolean },
    ): Promise<BytesReply> {
      const payload = await store.records.findPayload(identity.organizationId, id, field);
      const run = payload && (await store.runs.find(identity.organizationId, payload.runId));
      if (!payload || !run) throw notFound('record', id);
      return {
        contentType: 'application/json',
        byteLength: payload.byteLength,
        etag: `${id}-${field}`,
        filename: isDownload ? `record-${id}-${field}.json` : undefined,
        read: payload.read,
      };
    },
    async list(
      identity: Identity,
      runId: string,
      {
        query,
        previews,
        page,
      }: { query: RecordQuery; previews: PreviewRequest | undefined; page: PageRequest },
    ): Promise<Page<ReturnType<typeof withStates>>> {
      const run = await runs.shownRunOf(identity, runId);
      if (run.expired) return { items: [], next: null };
      const list = recordListOf(run, identity, query);
      const row = breakdownRowOf(query);
      const { items, next } = row
        ? await listRow(identity, run, { row, list, page })
        : await store.records.list(identity.organizationId, { ...list, page });
      const shownItems = [];
      for (const item of items) shownItems.push(await shown(withStates(run, item), previews));
      return { items: shownItems, next };
    },
    async delete(identity: Identity, id: string) {
      const { organizationId } = identity;
      await runs.recordOf(identity, id);
      const deleted = await store.transaction(async () => {
        await store.annotations.deleteOfRecord(organizationId, id);
        return store.records.delete(organizationId, id);
      });
      if (!deleted) throw notFound('record', id);
      await store.payloads.deleteOfRecord(organizationId, id);
      return { success: true as const };
    },
  };
}

/** A record without its scores. */
export const toRecordReply = ({
  id,
  runId,
  testcaseId,
  sessionId,
  otelLinkId,
  clientId,
  inputs,
  expected,
  outputs,
  error,
  systemAttempts,
  notes,
  metrics,
  metadata,
}: Pick<
  StoredRecord,
  | 'id'
  | 'runId'
  | 'testcaseId'
  | 'sessionId'
  | 'otelLinkId'
  | 'clientId'
  | 'inputs'
  | 'expected'
  | 'outputs'
  | 'error'
  | 'systemAttempts'
  | 'notes'
  | 'metrics'
  | 'metadata'
>): RecordReply => ({
  id,
  runId,
  testcaseId: testcaseId ?? undefined,
  sessionId,
  otelLinkId,
  clientId,
  inputs,
  expected,
  outputs,
  error,
  systemAttempts,
  notes,
  metrics,
  metadata: metadata === undefined ? undefined : new JsonText(metadata),
});

const payloadFields = ['inputs', 'expected', 'outputs'] as const;

/** A record with its payloads, or with the beginnings of them in their place. */
export const shown = <Item extends Payloads>(item: Item, previews: PreviewRequest | undefined) =>
  withPreviews(item, payloadFields, previews);

/** A record of a run as lists show it. */
export const withStates = ({ metrics }: Pick<StoredRun, 'metrics'>, record: StoredRecord) => ({
  ...withScores(record),
  missingScores: missingScoresOf(metrics, record),
});

/** A record with the scores that it has. */
export const withScores = (record: StoredRecord) => ({
  ...toRecordReply(record),
  scores: record.scores.map((score) => toScoreReply(record.id, score)),
});
