import type { Database } from '@assay/runtime/mongo/database';

/** How long a result is kept that nobody asks for. */
const keptMs = 30 * 24 * 60 * 60_000;
/** Results of one organization; the oldest go first. */
const keptMax = 5000;
/** A larger one is computed anew each time. */
const bytesMax = 1024 * 1024;
/** How many results more than may be there are removed together. */
const removedAtOnce = 100;

interface KeptDocument {
  _id: string;
  organizationId: string;
  /** The runs of which it tells. */
  runIds: string[];
  /** The state of the runs of which it tells. */
  state: string;
  text: string;
  keptAt: Date;
  expiresAt: Date;
}

/** Summaries and comparisons as JSON text: each of its request, and of the state of its runs. */
export function createKeptResultStore(database: Database) {
  const kept = database.collection<KeptDocument>('kept_results');

  /** Room for more, so that a request with ever other options fills no disk. */
  async function removeOldest(organizationId: string): Promise<void> {
    const oldest = await kept
      .find({ organizationId }, { projection: { _id: 1 } })
      .sort({ keptAt: -1 })
      .skip(keptMax - removedAtOnce)
      .toArray();
    await kept.deleteMany({ organizationId, _id: { $in: oldest.map(({ _id }) => _id) } });
  }

  return {
    /** The text that is kept of runs in this state. */
    async find(organizationId: string, id: string, state: string): Promise<string | undefined> {
      const found = await kept.findOne({ _id: id, organizationId, state });
      return found?.text;
    },

    /** Keeps a result in place of that of an earlier state. */
    async keep(
      organizationId: string,
      { id, runIds, state, text }: { id: string; runIds: string[]; state: string; text: string },
    ): Promise<void> {
      if (Buffer.byteLength(text) > bytesMax) return;
      const keptAt = new Date();
      await kept.replaceOne(
        { _id: id, organizationId },
        {
          organizationId,
          runIds,
          state,
          text,
          keptAt,
          expiresAt: new Date(keptAt.getTime() + keptMs),
        },
        { upsert: true },
      );
      if ((await kept.countDocuments({ organizationId }, { limit: keptMax + 1 })) > keptMax)
        await removeOldest(organizationId);
    },

    /** Removes all results that are kept of a run. */
    async deleteOfRun(organizationId: string, runId: string): Promise<void> {
      await kept.deleteMany({ organizationId, runIds: runId });
    },
  };
}
