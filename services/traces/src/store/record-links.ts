import { createHash } from 'node:crypto';
import type { Database } from '@assay/runtime/mongo/database';
import { Binary } from 'mongodb';

interface RecordLinkDocument {
  /** A hash of the organization and the link id, which may be long, and whose text is not needed. */
  _id: Binary;
  organizationId: string;
  expiresAt: Date;
}

/** The link ids that records have: which traces are kept, also those that are still to come. */
export function createRecordLinkStore(database: Database) {
  const links = database.collection<RecordLinkDocument>('record_links');

  return {
    async add(organizationId: string, linkIds: string[], expiresAt: Date): Promise<void> {
      if (linkIds.length === 0) return;
      await links.bulkWrite(
        linkIds.map((linkId) => ({
          updateOne: {
            filter: { _id: idOf(organizationId, linkId), organizationId },
            update: { $max: { expiresAt } },
            upsert: true,
          },
        })),
        { ordered: false },
      );
    },

    /** Which of these do records have? */
    async findThere(organizationId: string, linkIds: string[]): Promise<Set<string>> {
      const ids = new Map(
        linkIds.map((linkId) => {
          const id = idOf(organizationId, linkId);
          return [id.toString('hex'), { id, linkId }];
        }),
      );
      const found = await links
        .find(
          { _id: { $in: [...ids.values()].map(({ id }) => id) }, organizationId },
          { projection: { _id: 1 } },
        )
        .toArray();
      return new Set(found.map(({ _id }) => ids.get(_id.toString('hex'))!.linkId));
    },
  };
}

const idOf = (organizationId: string, linkId: string): Binary =>
  new Binary(createHash('sha256').update(`${organizationId}/${linkId}`).digest());
