import { newId } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';

interface PermitDocument {
  /** `<model> <number>` */
  _id: string;
  model: string;
  number: number;
  /** When it is free again, whatever became of the process that has it; by the database's clock. */
  until: Date;
  holder?: string;
}

/** A permit for one call that is under way. */
export interface TakenPermit {
  id: string;
  holder: string;
}

/** Permits for calls to models, which all processes of the service share. */
export function createModelPermitStore(database: Database) {
  const permits = database.collection<PermitDocument>('modelPermits');
  /** By model, how many of its permits are there for certain. */
  const made = new Map<string, number>();

  async function ensure(model: string, count: number): Promise<void> {
    if ((made.get(model) ?? 0) >= count) return;
    await permits.bulkWrite(
      Array.from({ length: count }, (_, number) => ({
        updateOne: {
          filter: { _id: `${model} ${number}` },
          update: { $setOnInsert: { model, number, until: new Date(0) } },
          upsert: true,
        },
      })),
      { ordered: false },
    );
    made.set(model, count);
  }

  return {
    /** Takes one of the `count` permits of a model for `holdMs`; undefined where all are taken. */
    async take(
      model: string,
      { count, holdMs }: { count: number; holdMs: number },
    ): Promise<TakenPermit | undefined> {
      await ensure(model, count);
      const holder = newId();
      const until = { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: holdMs } };
      const taken = await permits.findOneAndUpdate(
        { model, number: { $lt: count }, $expr: { $lte: ['$until', '$$NOW'] } },
        [{ $set: { until, holder } }],
        { projection: { _id: 1 } },
      );
      return taken ? { id: taken._id, holder } : undefined;
    },

    /** Gives a permit back. One that was held too long may be another's by now, and stays theirs. */
    async giveBack({ id, holder }: TakenPermit): Promise<void> {
      await permits.updateOne({ _id: id, holder }, { $set: { until: new Date(0) } });
    },
  };
}
