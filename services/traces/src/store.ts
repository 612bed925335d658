import { createGroupCommit } from '@assay/runtime/concurrency/group-commit';
import type { Database } from '@assay/runtime/mongo/database';
import { createAnnotationStore } from './store/annotations.ts';
import { createAskedTraces } from './store/asked-traces.ts';
import { createDailyBytes } from './store/daily-bytes.ts';
import { createDeletedTraces } from './store/deleted-traces.ts';
import { gatherArrivals, gatherParts } from './store/gathered.ts';
import { type Arrival, createHeadStore } from './store/heads.ts';
import { createMonitorNames } from './store/monitor-names.ts';
import { createMonitorPartStore } from './store/monitor-part.ts';
import { createMonitorStore } from './store/monitors.ts';
import { createNamedTraces } from './store/named-traces.ts';
import { createOutdatedHeads } from './store/outdated-heads.ts';
import { createPartStore, type NewPart } from './store/parts.ts';
import { createRecordLinkStore } from './store/record-links.ts';
import { createSpanListStore } from './store/span-lists.ts';
import { createTraceVolume } from './store/trace-volume.ts';

export type { StoredAnnotation } from './store/annotations.ts';
export type { TriedHead } from './store/asked-traces.ts';
export type { AskedHead, DueHead, OpenTrace, SettledFields, StoredHead } from './store/head.ts';
export type { HeadFilter } from './store/head-filter.ts';
export type { Arrival } from './store/heads.ts';
export type { StoredMonitor } from './store/monitors.ts';
export type { ErasedPlaces, TracesOwner } from './store/named-traces.ts';
export type { NewPart, StoredPart } from './store/parts.ts';
export type { TraceCount } from './store/trace-volume.ts';

/** The spans of one request, and the changes that they make to the heads of their traces. */
export interface Receipt {
  organizationId: string;
  parts: NewPart[];
  arrivals: Arrival[];
}

/**
 * Requests of one span are the default of many clients: hundreds of them share a commit. One after
 * the other, since requests that wait meanwhile make the next one larger, and cheaper for each span.
 */
const commitMax = { itemsMax: 2000, bytesMax: 24 * 1024 * 1024, commitsMax: 1 };
const waitingBytesMax = 128 * 1024 * 1024;

export type Store = ReturnType<typeof createStore>;

/**
 * The collections of traces. A function that takes an organization finds only its documents.
 */
export function createStore(database: Database) {
  const spanLists = createSpanListStore(database);
  const parts = createPartStore(database, spanLists);
  const heads = createHeadStore(database);
  const namedTraces = createNamedTraces(database);
  const deletedTraces = createDeletedTraces(database);

  /**
   * Parts first: should the process die in between, their client repeats them, since it has no
   * answer yet, and each span of a trace counts once. So this needs no transaction. The spans of
   * deleted traces are left out; returns how many of each request are.
   */
  async function commit(received: Receipt[]): Promise<number[]> {
    const isDeleted = await deletedTraces.among(
      received.flatMap(({ organizationId, arrivals }) =>
        arrivals.map(({ traceId }) => ({ organizationId, traceId })),
      ),
    );
    const isKept = ({ organizationId }: Receipt, { traceId }: { traceId: string }): boolean =>
      !isDeleted({ organizationId, traceId });
    await parts.add(
      gatherParts(
        received.flatMap((receipt) =>
          receipt.parts
            .filter((part) => isKept(receipt, part))
            .map((part) => ({ organizationId: receipt.organizationId, part })),
        ),
      ),
    );
    await heads.noteArrivals(
      gatherArrivals(
        received.flatMap((receipt) =>
          receipt.arrivals
            .filter((arrival) => isKept(receipt, arrival))
            .map((arrival) => ({ organizationId: receipt.organizationId, arrival })),
        ),
      ),
    );
    return received.map((receipt) =>
      receipt.parts
        .filter((part) => !isKept(receipt, part))
        .reduce((sum, { numSpans }) => sum + numSpans, 0),
    );
  }

  const commits = createGroupCommit<Receipt, number>({
    ...commitMax,
    waitingBytesMax,
    itemsOf: ({ parts }) => parts.length,
    bytesOf: ({ parts }) => parts.reduce((bytes, part) => bytes + part.bytes.length, 0),
    organizationOf: ({ organizationId }) => organizationId,
    commit,
  });

  const dailyBytes = createDailyBytes(database);
  return {
    transaction: database.transaction,
    parts,
    spanLists,
    heads,
    namedTraces,
    annotations: createAnnotationStore(database),
    askedTraces: createAskedTraces(database),
    dailyBytes,
    deletedTraces,
    monitors: createMonitorStore(database),
    monitorNames: createMonitorNames(database),
    monitorParts: createMonitorPartStore(database),
    outdatedHeads: createOutdatedHeads(database),
    volume: createTraceVolume(database),
    recordLinks: createRecordLinkStore(database),
    /**
     * Stores spans, together with those that others bring at the same time. Returns how many were
     * left out, since their trace was deleted.
     * @throws SERVICE_UNAVAILABLE when more waits than may.
     */
    receive: (received: Receipt): Promise<number> => commits.add(received),
    async drain(): Promise<void> {
      await commits.drain();
      await dailyBytes.drain();
    },
  };
}
