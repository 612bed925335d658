import { unavailable } from '@assay/contracts/failure';
import { JsonText, type Payload } from '@assay/contracts/payload';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import { QueueFull } from '@assay/runtime/concurrency/fair-semaphore';
import { createOrganizationQueue } from '@assay/runtime/concurrency/organization-context';
import { takeWithin } from '@assay/runtime/mongo/within-bytes';
import type { Collection } from 'mongodb';
import type { PayloadField, PayloadStore } from './payloads.ts';
import { type RecordDocument, recordBytes } from './record.ts';
import { inOrder } from './record-list.ts';
import { createTextMatch, type PieceSearch } from './text-match.ts';

/** How far a search came: the records that have the text, and how many were looked in until each. */
export interface SearchProgress {
  hits: { id: string; searched: number }[];
  searched: number;
  /** The last record that was looked in; undefined where there was none. */
  lastId: string | undefined;
  /** Are there records behind it? */
  hasMore: boolean;
}

/** How long one search looks in records, in ms. */
const searchMaxMs = 2000;
/** Records that are read at once, and the bytes of them. */
const batchRecordsMax = 500;
const batchBytesMax = 4 * 1024 * 1024;
/** Bytes of a payload that are searched at a stroke, a millisecond or two at the worst. */
const pieceBytesMax = 64 * 1024;
/** Searches under way at once: each keeps the event loop for a slice in each of its turns. */
const searches = { permits: 4, permitsEach: 2, permitsBesideOthers: 1, waitingEach: 6 };

/** Looks for a text in the payloads of a run, record by record. */
export function createRecordSearch({
  records,
  payloads,
}: {
  records: Collection<RecordDocument>;
  payloads: PayloadStore;
}) {
  const inTurn = createOrganizationQueue(searches);

  async function readBatch(
    organizationId: string,
    { runId, fields, after }: { runId: string; fields: PayloadField[]; after: string | undefined },
  ) {
    const kept = Object.fromEntries(fields.map((field) => [`kept.${field}`, 1]));
    const cursor = records
      .find(
        { organizationId, runId, ...(after === undefined ? {} : { _id: { $gt: after } }) },
        { projection: { ...kept, 'kept.chunked': 1 } },
      )
      .hint(inOrder)
      .sort({ _id: 1 })
      .limit(batchRecordsMax + 1)
      .batchSize(batchRecordsMax + 1);
    return takeWithin(cursor, {
      itemsMax: batchRecordsMax,
      bytesMax: batchBytesMax,
      bytesOf: ({ kept }) => recordBytes({ kept: { ...noPayloads, ...kept } }),
    });
  }

  /**
   * Searches the records of a run after one of them, oldest first, until `limit` have the text, or
   * for two seconds; at least one record.
   * @throws SERVICE_UNAVAILABLE while too many searches of the organization wait.
   */
  async function search(
    organizationId: string,
    {
      runId,
      text,
      fields,
      after,
      limit,
    }: {
      runId: string;
      text: string;
      fields: PayloadField[];
      after: string | undefined;
      limit: number;
    },
  ): Promise<SearchProgress> {
    const beginMatch = createTextMatch(text);
    const endMs = performance.now() + searchMaxMs;
    const hits: SearchProgress['hits'] = [];
    let searched = 0;
    for (let lastId = after; ; ) {
      const batch = await readBatch(organizationId, { runId, fields, after: lastId });
      for (const [index, { _id: id, kept }] of batch.documents.entries()) {
        if (searched > 0 && performance.now() > endMs)
          return { hits, searched, lastId, hasMore: true };
        const opened = payloads.open(id, { ...noPayloads, ...kept });
        const hasText = await someContains(
          fields.map((field) => opened[field]),
          beginMatch,
        );
        lastId = id;
        searched += 1;
        if (hasText) hits.push({ id, searched });
        const hasMore = batch.hasMore || index < batch.documents.length - 1;
        if (hits.length === limit) return { hits, searched, lastId, hasMore };
      }
      if (!batch.hasMore) return { hits, searched, lastId, hasMore: false };
    }
  }

  return {
    search: (...given: Parameters<typeof search>): Promise<SearchProgress> =>
      inTurn(() => search(...given)).catch((error: unknown) => {
        if (error instanceof QueueFull)
          throw unavailable('Other searches of this organization are under way: try again.');
        throw error;
      }),
  };
}

const empty = new Uint8Array();
/** In place of payloads that were not read. */
const noPayloads = { inputs: empty, expected: empty, outputs: empty };

async function someContains(payloads: Payload[], begin: () => PieceSearch): Promise<boolean> {
  for (const payload of payloads) if (await contains(payload, begin())) return true;
  return false;
}

async function contains(payload: Payload, search: PieceSearch): Promise<boolean> {
  if (payload instanceof JsonText && payload.bytes.length <= pieceBytesMax) {
    const turn = nextTurn();
    if (turn) await turn;
    return search(payload.bytes, true);
  }
  const chunks = payload instanceof JsonText ? [payload.bytes] : payload.read();
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; from += pieceBytesMax) {
      const turn = nextTurn();
      if (turn) await turn;
      if (search(chunk.subarray(from, from + pieceBytesMax), false)) return true;
    }
  return search(empty, true);
}
