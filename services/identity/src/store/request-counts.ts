import type { RequestWish } from '@assay/contracts/identity';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';

interface RequestCountDocument {
  /** The number is that of the minute. */
  _id: { organizationId: string; number: number };
  taken: number;
  granted: number;
  endsAt: Date;
}

export interface Minute {
  number: number;
  endsAt: Date;
}

/** What the gateways have taken of each organization's minute. A count goes soon after its end. */
export function createRequestCounts(database: Database) {
  const counts = database.collection<RequestCountDocument>('requestCounts');

  async function take(
    organizationId: string,
    { number, endsAt }: Minute,
    { limit, wanted, returned }: RequestWish,
  ): Promise<{ granted: number; taken: number }> {
    const before = { $max: [0, { $subtract: [{ $ifNull: ['$taken', 0] }, returned] }] };
    const granted = { $max: [0, { $min: [wanted, { $subtract: [limit, before] }] }] };
    const changed = await counts.findOneAndUpdate(
      { _id: { organizationId, number } },
      [{ $set: { endsAt, granted } }, { $set: { taken: { $add: [before, '$granted'] } } }],
      { upsert: true, returnDocument: 'after' },
    );
    return { granted: changed!.granted, taken: changed!.taken };
  }

  return {
    /** Takes what there is of a minute, up to `wanted`, and never more than `limit` in all. */
    takeRequests: (organizationId: string, minute: Minute, wish: RequestWish) =>
      take(organizationId, minute, wish).catch((error: unknown) => {
        // Two began the minute at once.
        if (isDuplicateKey(error)) return take(organizationId, minute, wish);
        throw error;
      }),
  };
}
