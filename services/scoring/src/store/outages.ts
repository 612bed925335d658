import type { Database } from '@assay/runtime/mongo/database';
import type { Outage } from '../judges/circuit.ts';

/** A model that judgements wait for, as a process of the service found it. */
export interface StoredOutage extends Outage {
  /** `<provider>/<model>`. */
  model: string;
}

type OutageDocument = Omit<StoredOutage, 'model'> & { _id: string };

/** An outage whose probe is overdue for so long is no longer any process's. */
const leftBehindMs = 2 * 60_000;

/** Outages of models, which are those of the installation, for all processes. */
export function createOutageStore(database: Database) {
  const outages = database.collection<OutageDocument>('outages');
  return {
    /**
     * Keeps the newest fault. An outage that another process knows began when that one saw it, but
     * not one that a process left behind when it ended.
     */
    async keep({ model, since, ...outage }: StoredOutage): Promise<void> {
      const left = new Date(since.getTime() - leftBehindMs);
      await outages.deleteOne({ _id: model, nextProbeAt: { $lt: left } });
      await outages.updateOne({ _id: model }, { $set: outage, $min: { since } }, { upsert: true });
    },

    async end(model: string): Promise<void> {
      await outages.deleteOne({ _id: model });
    },

    /** Those whose next probe is due after `probedAfter`: nothing waits for the others any more. */
    async list(probedAfter: Date): Promise<StoredOutage[]> {
      const found = await outages
        .find({ nextProbeAt: { $gt: probedAfter } })
        .sort({ _id: 1 })
        .toArray();
      return found.map(({ _id, ...outage }) => ({ model: _id, ...outage }));
    },
  };
}
