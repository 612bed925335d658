import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';

/** The bytes of spans that an organization has sent on a day of UTC, such as 2026-11-28. */
interface DailyBytes {
  _id: { organizationId: string; day: string };
  bytes: number;
  expiresAt: Date;
}

const keptMs = 2 * 24 * 60 * 60 * 1000;

export function createDailyBytes(database: Database) {
  const days = database.collection<DailyBytes>('daily_bytes');

  async function addToDay(_id: DailyBytes['_id'], bytes: number, most: number): Promise<boolean> {
    const hasRoom = { _id, bytes: { $lte: most - bytes } };
    const { matchedCount } = await days.updateOne(hasRoom, { $inc: { bytes } });
    return matchedCount === 1;
  }

  return {
    /** Returns the bytes that an organization has sent on the day so far. */
    async sentOn(organizationId: string, at: Date): Promise<number> {
      return (await days.findOne({ _id: dayOf(organizationId, at) }))?.bytes ?? 0;
    },

    async add(organizationId: string, { bytes, at }: { bytes: number; at: Date }): Promise<void> {
      await days.updateOne(
        { _id: dayOf(organizationId, at) },
        { $inc: { bytes }, $setOnInsert: { expiresAt: expiryOf(at) } },
        { upsert: true },
      );
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
