import type { IdempotencyKey, Identity, Request } from '@assay/contracts/define';
import { conflict, invalidAt, notFound, unavailable } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Payload } from '@assay/contracts/payload';
import type { runRecords } from '@assay/contracts/run-records';
import { usedWithAnotherBody } from '@assay/runtime/failures';
import type { StoredRecord } from '../store/record.ts';
import type { Creation, NewRecord } from '../store/record-creation.ts';
import type { Parts } from './parts.ts';
import type { Runs } from './runs.ts';
import { toScoreReply } from './scores.ts';
import type { TestcaseKnowledge } from './testcase-knowledge.ts';

type RecordBody = Request<(typeof runRecords)['operations']['createRecord']>['body'];

export interface RecordReply {
  id: string;
  runId: string;
  testcaseId: string | undefined;
  inputs: Payload;
  expected: Payload;
  outputs: Payload;
}

const heldWaitMaxMs = 10_000;
const knownTestsetsMax = 10_000;

export function createRecords({
  store,
  newId,
  now,
  queueScoring,
  runs,
  knownTestcases,
}: Pick<Parts, 'store' | 'newId' | 'now' | 'queueScoring'> & { runs: Runs; knownTestcases: TestcaseKnowledge }) {
  const knownTestsets = new Map<string, string | null>();

  /** A run's testset never changes, so it is looked up once. */
  async function testsetOf(identity: Identity, runId: string): Promise<string | null> {
    const key = `${identity.organizationId}/${runId}`;
    const known = knownTestsets.get(key);
    if (known !== undefined) return known;
    const { testsetId } = await runs.runOf(identity, runId);
    if (knownTestsets.size >= knownTestsetsMax) knownTestsets.clear();
    knownTestsets.set(key, testsetId);
    return testsetId;
  }

  async function checkTestcase(identity: Identity, runId: string, testcaseId: string): Promise<void> {
    const testsetId = await testsetOf(identity, runId);
    if (await knownTestcases.isThere(identity, testsetId, testcaseId)) return;
    throw invalidAt('/testcaseId', testsetId === null ? 'is no testcase of this organization' : "is no testcase of the run's testset");
  }

  function newRecord(identity: Identity, runId: string, body: RecordBody, idempotencyKey: IdempotencyKey | undefined): NewRecord {
    const createdAt = now();
    const texts = [...new Set(body.tags ?? [])];
    return {
      id: newId(),
      organizationId: identity.organizationId,
      runId,
      testcaseId: body.testcaseId ?? null,
      ...(body.otelLinkId ? { otelLinkId: body.otelLinkId } : {}),
      ...(body.sessionId ? { sessionId: body.sessionId } : {}),
      createdAt,
      tags: texts.map((text) => ({ id: newId(), text, source: 'user', userId: identity.userId, createdAt })),
      assignees: [],
      payloads: { inputs: body.inputs, expected: body.expected, outputs: body.outputs },
      idempotencyKey,
    };
  }

  /** Waits for what a transaction under way holds, as long as a repeat waits for its first request (contract section 1, Idempotency). */
  async function createWhenFree(record: NewRecord): Promise<Creation> {
    const deadline = Date.now() + heldWaitMaxMs;
    for (;;) {
      const creation = await store.records.create(record);
      if (creation.outcome !== 'held' || Date.now() > deadline) return creation;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  return {
    /** Answers when the record is durable. The same span in the same run, and the same Idempotency-Key, give the record that is there. */
    async create(
      identity: Identity,
      runId: string,
      body: RecordBody,
      idempotencyKey: IdempotencyKey | undefined,
    ): Promise<{ created: boolean; value: RecordReply; replayed?: boolean }> {
      if (body.testcaseId != null) await checkTestcase(identity, runId, body.testcaseId);
      const record = newRecord(identity, runId, body, idempotencyKey);
      const creation = await createWhenFree(record);
      switch (creation.outcome) {
        case 'created':
          if (creation.isPending) queueScoring(identity.organizationId, runId, [record.id]);
          return { created: true, value: toRecordReply({ ...record, ...record.payloads }) };
        case 'replayed':
          // The same body came again, so the first answer is this one with the first id.
          return { created: true, replayed: true, value: toRecordReply({ ...record, ...record.payloads, id: creation.recordId }) };
        case 'there':
          return { created: false, value: toRecordReply(creation.record) };
        case 'no run':
          throw notFound('run', runId);
        case 'held':
          throw conflict('The first request for this record is still under way.', { retryAfterSeconds: 1 });
        case 'key used with another body':
          throw usedWithAnotherBody();
        case 'gone':
          throw unavailable('The record was deleted at this moment.');
      }
    },
    async get(identity: Identity, id: string) {
      const record = await store.records.find(identity.organizationId, id);
      const run = record && (await store.runs.find(identity.organizationId, record.runId));
      if (!record || !run) throw notFound('record', id);
      return withScores(record);
    },
    async list(
      identity: Identity,
      runId: string,
      { tags, page }: { tags: string[] | undefined; page: PageRequest },
    ): Promise<Page<ReturnType<typeof withScores>>> {
      await runs.runOf(identity, runId);
      const { items, next } = await store.records.list(identity.organizationId, { runId, tags: (tags ?? []).map(alternatives), page });
      return { items: items.map(withScores), next };
    },
    async delete(identity: Identity, id: string) {
      const { organizationId } = identity;
      await runs.recordOf(identity, id);
      const deleted = await store.transaction(() => store.records.delete(organizationId, id));
      if (!deleted) throw notFound('record', id);
      await store.payloads.deleteOfRecord(organizationId, id);
      await store.annotations.deleteOfRecord(organizationId, id);
      return { success: true as const };
    },
  };
}

/** A tag filter as it stands, or, since clients join several by commas, as its parts. */
const alternatives = (text: string): string[][] => {
  const parts = text.split(',').filter((part) => part !== '');
  return parts.length > 1 || parts[0] !== text ? [[text], ...(parts.length > 0 ? [parts] : [])] : [[text]];
};

/** A record without its scores. */
export const toRecordReply = ({
  id,
  runId,
  testcaseId,
  inputs,
  expected,
  outputs,
}: Pick<StoredRecord, 'id' | 'runId' | 'testcaseId' | 'inputs' | 'expected' | 'outputs'>): RecordReply => ({
  id,
  runId,
  testcaseId: testcaseId ?? undefined,
  inputs,
  expected,
  outputs,
});

/** A record as lists show it. */
export const withScores = (record: StoredRecord) => ({
  ...toRecordReply(record),
  scores: record.scores.map((score) => toScoreReply(record.id, score)),
});
