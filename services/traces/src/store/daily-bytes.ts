import { asOwnWork } from '@assay/runtime/concurrency/organization-context';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';

/** The bytes of spans that an organization has sent on a day of UTC, such as 2026-11-28. */
interface DailyBytes {
  _id: { organizationId: string; day: string };
  bytes: number;
  expiresAt: Date;
}

/** Bytes that are counted in this process and not written yet. */
interface Addition {
  organizationId: string;
  bytes: number;
  at: Date;
}

/** So long after they came bytes are written: a crash loses them, and other processes miss them. */
const writtenAfterMs = 1000;
const keptMs = 2 * 24 * 60 * 60 * 1000;

export function createDailyBytes(database: Database) {
  const days = database.collection<DailyBytes>('daily_bytes');

  async function addToDay(_id: DailyBytes['_id'], bytes: number, most: number): Promise<boolean> {
    const hasRoom = { _id, bytes: { $lte: most - bytes } };
    const { matchedCount } = await days.updateOne(hasRoom, { $inc: { bytes } });
    return matchedCount === 1;
  }

  let waiting = new Map<string, Addition>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function count({ organizationId, bytes, at }: Addition): void {
    const key = `${organizationId}/${dayOf(organizationId, at).day}`;
    const sum = waiting.get(key);
    if (sum) sum.bytes += bytes;
    else waiting.set(key, { organizationId, bytes, at });
    timer ??= asOwnWork(() => setTimeout(writeWaiting, writtenAfterMs));
  }

  /** Sums that cannot be written are counted again, and written later. */
  function writeWaiting(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = asOwnWork(() => writing.then(writeAll));
    return writing;
  }

  async function writeAll(): Promise<void> {
    if (waiting.size === 0) return;
    const sums = [...waiting.values()];
    waiting = new Map();
    const writes = sums.map(({ organizationId, bytes, at }) => ({
      updateOne: {
        filter: { _id: dayOf(organizationId, at) },
        update: { $inc: { bytes }, $setOnInsert: { expiresAt: expiryOf(at) } },
        upsert: true,
      },
    }));
    await days.bulkWrite(writes, { ordered: false }).catch(() => {
      for (const sum of sums) count(sum);
    });
  }

  return {
    /** Returns the bytes that an organization has sent on the day so far. */
    async sentOn(organizationId: string, at: Date): Promise<number> {
      await writeWaiting();
      return (await days.findOne({ _id: dayOf(organizationId, at) }))?.bytes ?? 0;
    },

    /**
     * Adds to the bytes of an organization's day, for which nobody waits: they are written within a
     * second, with all that came meanwhile.
     */
    add: (organizationId: string, sent: { bytes: number; at: Date }): void =>
      count({ organizationId, ...sent }),

    /** Writes all that was added, as the last act. */
    async drain(): Promise<void> {
      await writeWaiting();
      clearTimeout(timer);
    },

    /** Adds to the bytes of an organization's day; false, and nothing is added, past `bytesMax`. */
    async addWithin(
      organizationId: string,
      { bytes, bytesMax, at }: { bytes: number; bytesMax: number; at: Date },
    ): Promise<boolean> {
      const _id = dayOf(organizationId, at);
      if (bytes > bytesMax) return false;
      if (await addToDay(_id, bytes, bytesMax)) return true;
      try {
        await days.insertOne({ _id, bytes, expiresAt: expiryOf(at) });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return addToDay(_id, bytes, bytesMax);
      }
    },
  };
}

const dayOf = (organizationId: string, at: Date): DailyBytes['_id'] => ({
  organizationId,
  day: at.toISOString().slice(0, 10),
});

const expiryOf = (at: Date): Date => new Date(at.getTime() + keptMs);
