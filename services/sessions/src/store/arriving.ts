import type { Database } from '@assay/runtime/mongo/database';
import type { ContentAddress } from '../storage/content.ts';
import type { Declaration } from './declaration.ts';

/** An attachment of a project that is being imported, whose bytes are at their address. */
export interface ArrivingAttachment extends Declaration {
  id: string;
  sessionId: string;
  filePath: string;
}

type ArrivingDocument = Omit<ArrivingAttachment, 'id'> & {
  _id: string;
  organizationId: string;
  projectId: string;
  expiresAt: Date;
};

/** The attachments of imports, which nobody sees before the end of theirs. */
export function createArrivingStore(database: Database) {
  const arriving = database.collection<ArrivingDocument>('arriving_attachments');

  return {
    async add(
      organizationId: string,
      { id, ...attachment }: ArrivingAttachment,
      { projectId, expiresAt }: { projectId: string; expiresAt: Date },
    ): Promise<void> {
      await arriving.insertOne({ _id: id, organizationId, projectId, ...attachment, expiresAt });
    },
    /** Yields the attachments of an import, in the order in which they came. */
    async *list(organizationId: string, projectId: string): AsyncGenerator<ArrivingAttachment> {
      for await (const document of arriving.find({ organizationId, projectId }).sort({ _id: 1 })) {
        const {
          _id: id,
          organizationId: _organizationId,
          projectId: _projectId,
          expiresAt: _expiresAt,
          ...attachment
        } = document;
        yield { id, ...attachment };
      }
    },
    async delete(organizationId: string, id: string): Promise<void> {
      await arriving.deleteOne({ _id: id, organizationId });
    },
    /** The bytes of all that arrives in an organization. */
    async bytesOf(organizationId: string): Promise<number> {
      const [sum] = await arriving
        .aggregate<{ bytes: number }>([
          { $match: { organizationId } },
          { $group: { _id: null, bytes: { $sum: '$sizeBytes' } } },
        ])
        .toArray();
      return sum?.bytes ?? 0;
    },
    /** Until when imports may come to need a content; undefined where none does. */
    async keptUntil({ organizationId, sha256 }: ContentAddress): Promise<Date | undefined> {
      const [latest] = await arriving
        .find({ organizationId, sha256 }, { projection: { expiresAt: 1 } })
        .sort({ expiresAt: -1 })
        .limit(1)
        .toArray();
      return latest?.expiresAt;
    },
  };
}
