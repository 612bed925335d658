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

/** A document that is hidden from clients since `deletedAt`, with everything that belongs to it. */
interface HiddenDocument {
  _id: string;
  organizationId: string;
  deletedAt?: Date;
  heldUntil?: Date;
}

/**
 * Deletes hidden documents in the background, with everything that belongs to them, one batch at a
 * time to leave room for other work. The hidden document itself goes last, so that another process
 * can continue after a crash. A purge starts five minutes after the deletion, longer than any write
 * can last, so that one pass removes everything.
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
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> | undefined;
  let isStopped = false;

  const after = (ms: number): Date => new Date(now().getTime() + ms);

  const take = (): Promise<HiddenDocument | null> =>
    hidden.findOneAndUpdate(
      { deletedAt: { $lt: after(-settledMs) }, heldUntil: { $not: { $gt: now() } } },
      { $set: { heldUntil: after(heldMs) } },
      { sort: { deletedAt: 1 } },
    );

  async function purge({ _id, organizationId }: HiddenDocument): Promise<void> {
    for await (const _batch of deleteAll(organizationId, _id)) {
      if (isStopped) return;
      await hidden.updateOne({ _id, organizationId }, { $set: { heldUntil: after(heldMs) } });
    }
    await hidden.deleteOne({ _id, organizationId });
  }

  /** A document whose purge fails keeps its lease, so that it does not delay the others. */
  async function sweep(): Promise<void> {
    for (let found = await take(); found; found = isStopped ? null : await take()) {
      const { _id: id } = found;
      await purge(found).catch((error) =>
        log.warn({ err: error, collection, id }, 'what was deleted will be removed later'),
      );
    }
  }

  function start(): void {
    timer = setInterval(run, everyMs);
    run();
  }

  function run(): void {
    sweeping ??= sweep()
      .catch((error) =>
        log.warn({ err: error, collection }, 'what was deleted will be removed later'),
      )
      .finally(() => {
        sweeping = undefined;
      });
  }

  return {
    /** Deletes the hidden documents that are due by now. */
    sweep,
    /** Sweeps now and every minute. */
    start,
    /** Resolves when no sweep is in progress; the remaining documents wait for the next start. */
    stop: async (): Promise<void> => {
      isStopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
