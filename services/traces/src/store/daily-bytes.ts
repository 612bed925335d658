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
    /** Adds to the bytes of an organization's day; false, and nothing is added, past `bytesMax`. */
    async add(
      organizationId: string,
      { bytes, bytesMax, at }: { bytes: number; bytesMax: number; at: Date },
    ): Promise<boolean> {
      const _id = { organizationId, day: at.toISOString().slice(0, 10) };
      if (bytes > bytesMax) return false;
      if (await addToDay(_id, bytes, bytesMax)) return true;
      try {
        await days.insertOne({ _id, bytes, expiresAt: new Date(at.getTime() + keptMs) });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return addToDay(_id, bytes, bytesMax);
      }
    },
  };
}
