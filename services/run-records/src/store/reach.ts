import type { Collection, Filter } from 'mongodb';
import type { RecordDocument } from './record.ts';

/** The order of ids in which a list is read. */
export type Direction = 'asc' | 'desc';

export interface Reaches {
  /**
   * The id up to which a list has a sample of the records that match: the farther it is, the rarer
   * they are.
   */
  reachOf: (filter: Filter<RecordDocument>, hint: Record<string, 1>) => Promise<string>;
  /** Sorts the farthest reach first. */
  farthestFirst: (one: string, other: string) => number;
}

/** How many records that match are looked at to tell how rare they are. */
const sampleRecords = 100;

/** Tells how rare conditions are in a run's list from one of its ids on. */
export function createReaches(
  records: Collection<RecordDocument>,
  {
    organizationId,
    runId,
    after,
    direction,
  }: {
    organizationId: string;
    runId: string;
    after: string | undefined;
    direction: Direction;
  },
): Reaches {
  const sign = direction === 'asc' ? 1 : -1;
  // Behind all ids, in this direction.
  const beyond = direction === 'asc' ? '~' : '';
  return {
    async reachOf(filter, hint) {
      const found = await records
        .find(
          { organizationId, runId, ...filter, ...idsBetween({ direction, after }) },
          { projection: { _id: 1 } },
        )
        .hint(hint)
        .sort({ _id: sign })
        .skip(sampleRecords - 1)
        .limit(1)
        .toArray();
      return found[0]?._id ?? beyond;
    },
    farthestFirst: (one, other) => (one === other ? 0 : one < other ? sign : -sign),
  };
}

/** The ids behind one, up to another and with it. */
export function idsBetween({
  direction,
  after,
  upTo,
}: {
  direction: Direction;
  after?: string | undefined;
  upTo?: string | undefined;
}): { _id?: Record<string, string> } {
  const [behind, until] = direction === 'asc' ? ['$gt', '$lte'] : ['$lt', '$gte'];
  const bounds = {
    ...(after === undefined ? {} : { [behind!]: after }),
    ...(upTo === undefined ? {} : { [until!]: upTo }),
  };
  return Object.keys(bounds).length > 0 ? { _id: bounds } : {};
}
