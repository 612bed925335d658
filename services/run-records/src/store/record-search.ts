import { unavailable } from '@assay/contracts/failure';
import { JsonText, type Payload } from '@assay/contracts/payload';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import { QueueFull } from '@assay/runtime/concurrency/fair-semaphore';
import { createOrganizationQueue } from '@assay/runtime/concurrency/organization-context';
import { takeRawBatch } from '@assay/runtime/mongo/within-bytes';
import { createTextFilter } from '@assay/text-search/text-filter';
import { createTextMatch, type PieceSearch } from '@assay/text-search/text-match';
import { BSON, type Collection } from 'mongodb';
import type { PayloadField, PayloadStore } from './payloads.ts';
import type { RecordDocument } from './record.ts';
import { inOrder } from './record-list.ts';

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
/**
 * Records that are read at once; the database sends fewer where they are more than 16 MB. The next
 * ones are read while these are searched.
 */
const batchRecordsMax = 1000;
/** Bytes of a payload that are searched at a stroke, a millisecond or two at the worst. */
const pieceBytesMax = 64 * 1024;
/** Searches under way at once: each keeps the event loop for a slice in each of its turns. */
const searches = { permits: 4, permitsEach: 2, permitsBesideOthers: 1, waitingEach: 6 };

/** A record without its payloads, which are in chunks beside it, has fewer bytes. */
const chunkedBytesMax = 200;

type SearchedRecord = Pick<RecordDocument, '_id' | 'kept'>;

/** Looks for a text in the payloads of a run, record by record. */
export function createRecordSearch({
  records,
  payloads,
}: {
  records: Collection<RecordDocument>;
  payloads: PayloadStore;
}) {
  const inTurn = createOrganizationQueue(searches);

  /** Some of a run's records after one of them, as the bytes that the database sends. */
  async function readBatch(
    organizationId: string,
    { runId, fields, after }: { runId: string; fields: PayloadField[]; after: string | undefined },
  ): Promise<Uint8Array[]> {
    const kept = Object.fromEntries(fields.map((field) => [`kept.${field}`, 1]));
    const cursor = records
      .find<Uint8Array>(
        { organizationId, runId, ...(after === undefined ? {} : { _id: { $gt: after } }) },
        { projection: { ...kept, 'kept.chunked': 1 }, raw: true },
      )
      .hint(inOrder)
      .sort({ _id: 1 })
      .limit(batchRecordsMax)
      .batchSize(batchRecordsMax);
    return takeRawBatch(cursor);
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
    const mayHaveText = createRecordFilter(text);
    const beginMatch = createTextMatch(text);
    const hasText = ({ _id: id, kept }: SearchedRecord) => {
      const opened = payloads.open(id, { ...noPayloads, ...kept });
      return someContains(
        fields.map((field) => opened[field]),
        beginMatch,
      );
    };
    const endMs = performance.now() + searchMaxMs;
    const hits: SearchProgress['hits'] = [];
    let searched = 0;
    let lastId = after;
    let batch = await readBatch(organizationId, { runId, fields, after });
    while (batch.length > 0) {
      const next = readBatch(organizationId, { runId, fields, after: idOf(batch.at(-1)!) });
      // A search that ends before does not ask how it went.
      next.catch(() => undefined);
      for (const [index, bytes] of batch.entries()) {
        const turn = nextTurn();
        if (turn) await turn;
        if (searched > 0 && performance.now() > endMs) {
          if (index > 0) lastId = idOf(batch[index - 1]!);
          return { hits, searched, lastId, hasMore: true };
        }
        searched += 1;
        if (!mayHaveText(bytes) || !(await hasText(opened(bytes)))) continue;
        hits.push({ id: idOf(bytes), searched });
        if (hits.length < limit) continue;
        const hasMore = index < batch.length - 1 || (await next).length > 0;
        return { hits, searched, lastId: idOf(bytes), hasMore };
      }
      lastId = idOf(batch.at(-1)!);
      batch = await next;
    }
    return { hits, searched, lastId, hasMore: false };
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

function opened(bytes: Uint8Array): SearchedRecord {
  return BSON.deserialize(bytes, { promoteBuffers: true }) as SearchedRecord;
}

const idOf = (bytes: Uint8Array): string => opened(bytes)._id;

/** Tells of most records that have no text that they have none, by the bytes of all their fields. */
function createRecordFilter(text: string): (bytes: Uint8Array) => boolean {
  const mayHaveText = createTextFilter(text);
  if (!mayHaveText) return () => true;
  return (bytes) => bytes.length < chunkedBytesMax || mayHaveText(bytes);
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
