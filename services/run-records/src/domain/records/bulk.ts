import { createHash } from 'node:crypto';
import type { IdempotencyKey, Identity, StreamReply } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { recordBody, recordBytesMax } from '@assay/contracts/run-records';
import { awaitAll } from '@assay/runtime/concurrency/maybe-async';
import { createEntryParser } from '@assay/runtime/uploads/parse-entry';
import { answerEntries, type Batch, type EntryAnswer } from '@assay/runtime/uploads/pipeline';
import { caught } from '@assay/runtime/uploads/read-to-end';
import { createLineSplitter } from '@assay/runtime/uploads/splitters';
import type { Creation, NewRecord } from '../../store/record-creation.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';
import { createKeyedMutex, type KeyedMutex } from './keyed-mutex.ts';
import {
  createWhenUnlocked,
  creationFailure,
  type NewRecords,
  type RecordBody,
} from './new-records.ts';

/** A line that is a record, and with an Idempotency-Key the hash of its bytes. */
interface Line {
  body: RecordBody;
  hash: string | undefined;
}

/** Records of one upload that are read together, and bytes of it that are being stored at once. */
const batchItemsMax = 250;
const keptBytesMax = 4 * 1024 * 1024;

const parseRecord = createEntryParser<RecordBody>(recordBody);

export function createBulk({
  store,
  queueScoring,
  runs,
  newRecords,
}: Pick<Dependencies, 'store' | 'queueScoring'> & { runs: Runs; newRecords: NewRecords }) {
  /**
   * Stores the records of some lines, with whatever other uploads store at the same time, and
   * answers each.
   */
  async function keep(
    identity: Identity,
    runId: string,
    { from, entries }: Batch<Line>,
    { key, inOrder }: { key: IdempotencyKey | undefined; inOrder: KeyedMutex },
  ): Promise<EntryAnswer[]> {
    const making = awaitAll(
      entries.map((entry, position) =>
        entry instanceof Failure
          ? entry
          : make(identity, runId, entry.body, keyOf(key, from + position, entry)),
      ),
    );
    if (making instanceof Promise) caught(making);
    // Before anything is awaited: a later batch can be made sooner than this one.
    const [made, records, creations] = await inOrder(entries.flatMap(namesOf), async () => {
      const made = await making;
      const records = made.filter((record): record is NewRecord => !(record instanceof Failure));
      return [made, records, await createWhenUnlocked(records, store.records.createInBulk)];
    });
    const pendingIds = records
      .filter((_, index) => isPending(creations[index]!))
      .map(({ id }) => id);
    if (pendingIds.length > 0) queueScoring(identity.organizationId, runId, pendingIds);
    let next = 0;
    return made.map((record) =>
      record instanceof Failure ? record : answerOf(record, creations[next++]!),
    );
  }

  /** A fault of a line becomes the answer to that line; a fault of the service ends the upload. */
  function make(
    ...given: Parameters<NewRecords['make']>
  ): NewRecord | Failure | Promise<NewRecord | Failure> {
    const record = newRecords.make(...given);
    return record instanceof Promise ? record.catch(orFailure) : record;
  }

  return {
    /**
     * Creates a record for each line, and streams a line for each: `201` for a new one, `200` for
     * one that is there by its `clientId` or span. A repeat under the same Idempotency-Key gives
     * the first answers again, line by line.
     */
    async create(
      identity: Identity,
      runId: string,
      stream: AsyncIterable<Uint8Array>,
      key: IdempotencyKey | undefined,
    ): Promise<StreamReply> {
      await runs.runOf(identity, runId);
      const inOrder = createKeyedMutex();
      const answers = await answerEntries<Line>({
        stream,
        splitter: createLineSplitter(recordBytesMax),
        read: (raw) => readLine(raw, key !== undefined),
        keep: (batch) => keep(identity, runId, batch, { key, inOrder }),
        batchItemsMax,
        keptBytesMax,
      });
      return { contentType: 'application/x-ndjson', stream: answers };
    },
  };
}

function readLine(raw: Buffer, isHashed: boolean): Line | Promise<Line> {
  const hash = isHashed ? hashOf(raw) : undefined;
  const body = parseRecord(raw);
  return body instanceof Promise ? body.then((body) => ({ body, hash })) : { body, hash };
}

function namesOf(entry: Line | Failure): string[] {
  if (entry instanceof Failure) return [];
  const { clientId, otelLinkId } = entry.body;
  return [
    ...(clientId === undefined ? [] : [`client ${clientId}`]),
    ...(otelLinkId === undefined ? [] : [`span ${otelLinkId}`]),
  ];
}

const isPending = (creation: Creation): boolean =>
  creation.outcome === 'created' && creation.isPending;

function answerOf({ id, runId }: NewRecord, creation: Creation): EntryAnswer {
  switch (creation.outcome) {
    case 'created':
      return { status: 201, id };
    case 'replayed':
      return { status: 201, id: creation.recordId };
    case 'existing':
      return { status: 200, id: creation.recordId };
    case 'run missing':
      throw creationFailure(creation, runId);
    default:
      return creationFailure(creation, runId);
  }
}

/**
 * The idempotency key of a line: the contract's rules for the key and body of a request apply to
 * each line and its number.
 */
const keyOf = (
  key: IdempotencyKey | undefined,
  index: number,
  { hash }: Line,
): IdempotencyKey | undefined => key && { ...key, id: `${key.id}:${index}`, bodyHash: hash! };

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url');

function orFailure(error: unknown): Failure {
  if (error instanceof Failure && error.status < 500) return error;
  throw error;
}
