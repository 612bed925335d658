import { createGroupCommit } from '@assay/runtime/concurrency/group-commit';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';

/** The bytes of spans that an organization has sent on a day of UTC, such as 2026-11-28. */
interface DailyBytes {
  _id: { organizationId: string; day: string };
  bytes: number;
  expiresAt: Date;
}

/** Bytes of spans of one request. */
interface Addition {
  organizationId: string;
  bytes: number;
  at: Date;
}

/** Requests whose bytes wait to be counted: more than can be under way. */
const waitingMax = 100_000;
const keptMs = 2 * 24 * 60 * 60 * 1000;

export function createDailyBytes(database: Database) {
  const days = database.collection<DailyBytes>('daily_bytes');

  async function addToDay(_id: DailyBytes['_id'], bytes: number, most: number): Promise<boolean> {
    const hasRoom = { _id, bytes: { $lte: most - bytes } };
    const { matchedCount } = await days.updateOne(hasRoom, { $inc: { bytes } });
    return matchedCount === 1;
  }

  async function addAll(sent: Addition[]): Promise<undefined[]> {
    const sums = new Map<string, Addition>();
    for (const { organizationId, bytes, at } of sent) {
      const { day } = dayOf(organizationId, at);
      const sum = sums.get(`${organizationId}/${day}`);
      if (sum) sum.bytes += bytes;
      else sums.set(`${organizationId}/${day}`, { organizationId, bytes, at });
    }
    await days.bulkWrite(
      [...sums.values()].map(({ organizationId, bytes, at }) => ({
        updateOne: {
          filter: { _id: dayOf(organizationId, at) },
          update: { $inc: { bytes }, $setOnInsert: { expiresAt: expiryOf(at) } },
          upsert: true,
        },
      })),
      { ordered: false },
    );
    return sent.map(() => undefined);
  }

  // One write at a time: those of one organization would wait for each other's document.
  const additions = createGroupCommit<Addition, undefined>({
    commit: addAll,
    commitsMax: 1,
    itemsMax: 10_000,
    bytesMax: Number.POSITIVE_INFINITY,
    waitingBytesMax: waitingMax,
    bytesOf: () => 1,
    organizationOf: ({ organizationId }) => organizationId,
  });

  return {
    /** Returns the bytes that an organization has sent on the day so far. */
    async sentOn(organizationId: string, at: Date): Promise<number> {
      return (await days.findOne({ _id: dayOf(organizationId, at) }))?.bytes ?? 0;
    },

    /** Adds to the bytes of an organization's day, together with what others add meanwhile. */
    async add(organizationId: string, sent: { bytes: number; at: Date }): Promise<void> {
      await additions.add({ organizationId, ...sent });
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
