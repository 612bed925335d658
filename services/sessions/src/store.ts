import type { Page, PageRequest } from '@assay/contracts/page';
import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import { findPage } from '@assay/runtime/mongo/page';
import type { ContentAddress, UploadMeasure } from './storage/content.ts';
import { createArrivingStore } from './store/arriving.ts';
import type { Declaration } from './store/declaration.ts';

export type { Declaration };

export interface StoredAttachment {
  id: string;
  sessionId: string;
  filePath: string;
  /** The committed content. */
  content: (Declaration & { uploadedAt: Date }) | null;
  /**
   * The declared upload that is not committed yet; `received`: the size and hash of the bytes that
   * this service got for it.
   */
  upload: (Declaration & { expiresAt: Date; received: UploadMeasure | null }) | null;
}

type AttachmentDocument = Omit<StoredAttachment, 'id'> & {
  _id: string;
  organizationId: string;
  isUploaded: boolean;
};

/**
 * Bytes that are, or may come to be, at an address: there for each of them before they are, and
 * until they are removed.
 */
interface ContentDocument extends ContentAddress {
  _id: string;
  /** When to look whether anything still refers to them; absent while something committed does. */
  checkAt?: Date;
}

export type Store = ReturnType<typeof createStore>;

/**
 * The collections of attachments. A function that takes an organization finds only its documents.
 */
export function createStore(database: Database) {
  const attachments = database.collection<AttachmentDocument>('attachments');
  const contents = database.collection<ContentDocument>('contents');
  const arriving = createArrivingStore(database);
  const declarations = database.collection<{ _id: string; count: number }>('declarations');

  return {
    transaction: database.transaction,
    afterCommit: database.afterCommit,
    arriving,

    /** Are these bytes at their address, for an attachment that is there or arrives? */
    async isContentThere({ organizationId, sha256 }: ContentAddress): Promise<boolean> {
      const filter = { organizationId, 'content.sha256': sha256 };
      const committed = await attachments.findOne(filter, { projection: { _id: 1 } });
      return (
        committed !== null || (await arriving.keptUntil({ organizationId, sha256 })) !== undefined
      );
    },

    async findAttachment(
      organizationId: string,
      id: string,
    ): Promise<StoredAttachment | undefined> {
      return toAttachment(await attachments.findOne({ _id: id, organizationId }));
    },
    async findAttachmentAt(
      organizationId: string,
      sessionId: string,
      filePath: string,
    ): Promise<StoredAttachment | undefined> {
      return toAttachment(await attachments.findOne({ organizationId, sessionId, filePath }));
    },
    listUploaded(
      organizationId: string,
      sessionId: string,
      page: PageRequest,
    ): Promise<Page<StoredAttachment>> {
      return findPage(attachments, {
        filter: { organizationId, sessionId, isUploaded: true },
        page,
        toItem: (document) => toAttachment(document)!,
      });
    },
    /** Yields the committed attachments of some sessions, session by session. */
    async *listOfSessions(
      organizationId: string,
      sessionIds: string[],
    ): AsyncGenerator<StoredAttachment> {
      for await (const document of attachments
        .find({ organizationId, sessionId: { $in: sessionIds }, isUploaded: true })
        .sort({ sessionId: 1, _id: 1 }))
        yield toAttachment(document)!;
    },
    async saveAttachment(
      organizationId: string,
      { id, ...attachment }: StoredAttachment,
    ): Promise<void> {
      const document = { organizationId, ...attachment, isUploaded: attachment.content !== null };
      await attachments.replaceOne({ _id: id, organizationId }, document, { upsert: true });
    },
    /**
     * Notes the bytes that were received for an upload. Returns false if this content is not
     * declared, or no longer.
     */
    async noteReceived(
      organizationId: string,
      id: string,
      received: UploadMeasure,
      declared: UploadMeasure & { sha256: string },
    ): Promise<boolean> {
      const { matchedCount } = await attachments.updateOne(
        {
          _id: id,
          organizationId,
          'upload.sha256': declared.sha256,
          'upload.sizeBytes': declared.sizeBytes,
        },
        { $set: { 'upload.received': received } },
      );
      return matchedCount === 1;
    },
    /** Makes declarations of an organization come one after the other. Inside a transaction. */
    async serializeDeclarations(organizationId: string): Promise<void> {
      await declarations.updateOne(
        { _id: organizationId },
        { $inc: { count: 1 } },
        { upsert: true },
      );
    },
    /**
     * Returns the bytes of all committed content and of all uploads whose URL expires after
     * `openSince`, except those of one attachment.
     */
    async attachedBytes(
      organizationId: string,
      { except, openSince }: { except: string; openSince: Date },
    ): Promise<number> {
      const expected = {
        $cond: [{ $gt: ['$upload.expiresAt', openSince] }, '$upload.sizeBytes', 0],
      };
      const [sum] = await attachments
        .aggregate<{ bytes: number }>([
          { $match: { organizationId, _id: { $ne: except } } },
          {
            $group: {
              _id: null,
              bytes: { $sum: { $add: [{ $ifNull: ['$content.sizeBytes', 0] }, expected] } },
            },
          },
        ])
        .toArray();
      return (sum?.bytes ?? 0) + (await arriving.bytesOf(organizationId));
    },
    countOfSession: (organizationId: string, sessionId: string): Promise<number> =>
      attachments.countDocuments({ organizationId, sessionId }),
    /** Attachments of a session, also such as are not uploaded yet. */
    someOfSession: (organizationId: string, sessionId: string, limit: number): Promise<string[]> =>
      attachments
        .find({ organizationId, sessionId }, { projection: { _id: 1 } })
        .limit(limit)
        .map(({ _id }) => _id)
        .toArray(),
    async deleteAttachment(
      organizationId: string,
      id: string,
    ): Promise<StoredAttachment | undefined> {
      return toAttachment(await attachments.findOneAndDelete({ _id: id, organizationId }));
    },

    /**
     * Schedules a check of the content at `checkAt`. A transaction that adds a reference to the
     * content calls this too, so that it cannot commit together with the content's removal.
     */
    async checkContent({ organizationId, sha256 }: ContentAddress, checkAt: Date): Promise<void> {
      await contents.updateOne(
        { _id: contentId({ organizationId, sha256 }) },
        { $setOnInsert: { organizationId, sha256 }, $set: { checkAt } },
        { upsert: true },
      );
    },
    async keepContent(address: ContentAddress): Promise<void> {
      await contents.updateOne({ _id: contentId(address) }, { $unset: { checkAt: '' } });
    },
    /** False when another process did it. */
    async forgetContent(address: ContentAddress): Promise<boolean> {
      return (await contents.deleteOne({ _id: contentId(address) })).deletedCount === 1;
    },
    listContentsToCheck: (
      organizationId: string,
      now: Date,
      limit: number,
    ): Promise<ContentAddress[]> =>
      contents
        .find({ organizationId, checkAt: { $lte: now } })
        .sort({ checkAt: 1 })
        .limit(limit)
        .toArray(),
    organizationsToCheck: (now: Date): Promise<string[]> =>
      organizationsWith(contents, { checkAt: { $lte: now } }),
    /**
     * Finds the references to a content: whether an attachment has committed it, and the last
     * expiry of its declarations.
     */
    async findContentUse({
      organizationId,
      sha256,
    }: ContentAddress): Promise<{ isCommitted: boolean; declaredUntil: Date | undefined }> {
      const committed = await attachments.findOne(
        { organizationId, 'content.sha256': sha256 },
        { projection: { _id: 1 } },
      );
      const declared = await attachments
        .find({ organizationId, 'upload.sha256': sha256 }, { projection: { upload: 1 } })
        .sort({ 'upload.expiresAt': -1 })
        .limit(1)
        .toArray();
      const times = [
        declared[0]?.upload?.expiresAt,
        await arriving.keptUntil({ organizationId, sha256 }),
      ].flatMap((time) => (time ? [time.getTime()] : []));
      return {
        isCommitted: committed !== null,
        declaredUntil: times.length > 0 ? new Date(Math.max(...times)) : undefined,
      };
    },
  };
}

const contentId = ({ organizationId, sha256 }: ContentAddress): string =>
  `${organizationId}/${sha256}`;

function toAttachment(document: AttachmentDocument | null): StoredAttachment | undefined {
  if (!document) return undefined;
  const { _id, organizationId: _organizationId, isUploaded: _isUploaded, ...attachment } = document;
  return { id: _id, ...attachment };
}
