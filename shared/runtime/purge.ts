import type { Log } from './log.ts';
import type { Database } from './mongo.ts';

/** Longer than any write can be under way that saw something before it was hidden. */
export const settledMs = 5 * 60_000;
const everyMs = 60_000;
/** How long the others leave alone what one process is at; after its death one of them goes on. */
const heldMs = 60_000;

/** What clients cannot see any more since `deletedAt`, and what belongs to it. */
interface HiddenDocument {
  _id: string;
  organizationId: string;
  deletedAt?: Date;
  heldUntil?: Date;
}

/**
 * Removes in the background what is hidden, with all that belongs to it: one batch at a time, so that others hardly notice. The document that
 * hides it goes last, so a process that dies leaves the rest to the next one. Nothing is touched before no write can be under way that still
 * adds to it, so that one pass leaves nothing behind.
 */
export function createPurge({
  database,
  collection,
  deleteAll,
  now,
  log,
}: {
  database: Database;
  /** Where a document with a `deletedAt` says that it is hidden. */
  collection: string;
  /** Deletes all that belongs to one of them, and yields after each batch. It may be left in between, and begun again. */
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

  /** What fails stays held, so that it keeps no other waiting. */
  async function sweep(): Promise<void> {
    for (let found = await take(); found; found = isStopped ? null : await take()) {
      const { _id: id } = found;
      await purge(found).catch((error) => log.warn({ err: error, collection, id }, 'what was deleted will be removed later'));
    }
  }

  function start(): void {
    timer = setInterval(run, everyMs);
    run();
  }

  function run(): void {
    sweeping ??= sweep()
      .catch((error) => log.warn({ err: error, collection }, 'what was deleted will be removed later'))
      .finally(() => {
        sweeping = undefined;
      });
  }

  return {
    /** Removes what may be removed by now. */
    sweep,
    /** Sweeps now and every minute. */
    start,
    /** Resolves when nothing is under way; what is left waits for the next start. */
    stop: async (): Promise<void> => {
      isStopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}
