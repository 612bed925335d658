import { createDueWork } from '../concurrency/due-work.ts';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';

/** Longer than any write can last that read a document before it was hidden. */
export const settledMs = 5 * 60_000;
const everyMs = 60_000;
/**
 * The lease of the process that deletes a document's data. If the process dies, another continues
 * after it.
 */
const heldMs = 60_000;
/** Of one organization, after which another's turn comes. */
const batchesMax = 10;

/** A document that is hidden from clients since `deletedAt`, with everything that belongs to it. */
interface HiddenDocument {
  _id: string;
  organizationId: string;
  deletedAt?: Date;
  heldUntil?: Date;
}

/**
 * Deletes hidden documents in the background, with everything that belongs to them: one batch at a
 * time to leave room for other work, and some batches of each organization in turn. The hidden
 * document itself goes last, so that another process can continue after a crash. A purge starts five
 * minutes after the deletion, longer than any write can last, so that one pass removes everything.
 */
export function createPurge({
  database,
  collection,
  deleteAll,
  now,
  log,
}: {
  database: Database;
  /** The collection whose documents are hidden by a `deletedAt`. */
  collection: string;
  /**
   * Deletes everything that belongs to a document, and yields after each batch. May be interrupted
   * and started again.
   */
  deleteAll: (organizationId: string, id: string) => AsyncIterable<unknown>;
  now: () => Date;
  log: Pick<Log, 'warn'>;
}) {
  const hidden = database.collection<HiddenDocument>(collection);
  const failure = 'what was deleted will be removed later';
  let isStopped = false;

  const after = (ms: number): Date => new Date(now().getTime() + ms);

  const isDue = () => ({
    deletedAt: { $lt: after(-settledMs) },
    heldUntil: { $not: { $gt: now() } },
  });

  /** Those whose documents were hidden first come first. */
  async function organizations(): Promise<string[]> {
    const due = hidden.aggregate<{ _id: string }>([
      { $match: isDue() },
      { $group: { _id: '$organizationId', since: { $min: '$deletedAt' } } },
      { $sort: { since: 1 } },
    ]);
    return (await due.toArray()).map(({ _id }) => _id);
  }

  const hold = (organizationId: string): Promise<HiddenDocument | null> =>
    hidden.findOneAndUpdate(
      { organizationId, ...isDue() },
      { $set: { heldUntil: after(heldMs) } },
      { sort: { deletedAt: 1 } },
    );

  /** Deletes some batches of a document's data; the rest is free for the next round. */
  async function deleteSome({ _id, organizationId }: HiddenDocument): Promise<void> {
    let batches = 0;
    for await (const _batch of deleteAll(organizationId, _id)) {
      if (isStopped) return;
      batches += 1;
      const isEnough = batches === batchesMax;
      const heldUntil = isEnough ? now() : after(heldMs);
      await hidden.updateOne({ _id, organizationId }, { $set: { heldUntil } });
      if (isEnough) return;
    }
    await hidden.deleteOne({ _id, organizationId });
  }

  /** A document whose purge fails keeps its lease, so that it does not delay the others. */
  async function purge(organizationId: string): Promise<boolean> {
    const found = await hold(organizationId);
    if (!found) return false;
    await deleteSome(found).catch((error) =>
      log.warn({ err: error, collection, id: found._id }, failure),
    );
    return true;
  }

  const due = createDueWork({
    organizations,
    work: purge,
    failure,
    log,
    atOnce: 1,
    everyMs,
  });

  return {
    /** Deletes the hidden documents that are due by now. */
    sweep: due.run,
    /** Sweeps now and every minute. */
    start: due.start,
    /** Resolves when no sweep is in progress; the remaining documents wait for the next start. */
    stop(): Promise<void> {
      isStopped = true;
      return due.stop();
    },
  };
}
