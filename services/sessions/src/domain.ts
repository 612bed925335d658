import type { Identity, Request } from '@assay/contracts/define';
import { conflict, Failure, invalidAt, notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import type { sessions } from '@assay/contracts/sessions';
import type { ByteQuota } from './domain/byte-quota.ts';
import { isSame } from './domain/bytes.ts';
import { contentTypeHeader, dispositionHeader } from './domain/file-headers.ts';
import { after, claimMs, downloadMs, isOpen, uploadMs } from './domain/lifetimes.ts';
import type { Storage, UploadMeasure } from './storage/content.ts';
import type { Declaration, Store, StoredAttachment } from './store.ts';

interface Dependencies {
  store: Store;
  storage: Storage;
  byteQuota: ByteQuota;
  /** Has content that nothing refers to removed, soon. */
  sweepSoon: (organizationId: string) => void;
  /** Does something that the client need not wait for. */
  aside: (what: string, work: () => Promise<void>) => void;
  clock: () => Date;
  newId: () => string;
}

type DeclareBody = Request<(typeof sessions)['operations']['declareAttachment']>['body'];

/** Attachments that are erased for one answer. */
const erasedMax = 500;

export type Domain = ReturnType<typeof createDomain>;

/** The rules of session attachments (contract section 2): declared, uploaded, committed. */
export function createDomain({
  store,
  storage,
  byteQuota,
  sweepSoon,
  aside,
  clock,
  newId,
}: Dependencies) {
  async function attachmentOf({ organizationId }: Identity, id: string): Promise<StoredAttachment> {
    const attachment = await store.findAttachment(organizationId, id);
    if (!attachment) throw notFound('attachment', id);
    return attachment;
  }

  /**
   * Prepares an upload. The content that was committed before stays available until the new content
   * is committed.
   */
  async function expectUpload(
    { organizationId }: Identity,
    attachment: StoredAttachment,
    declared: Declaration,
  ) {
    const expiresAt = after(clock(), uploadMs);
    const { id, upload: before } = attachment;
    const received =
      before && isSame(before, declared) && isOpen(before, clock()) ? before.received : null;
    await store.checkContent(
      { organizationId, sha256: declared.sha256 },
      after(expiresAt, claimMs),
    );
    await store.saveAttachment(organizationId, {
      ...attachment,
      upload: { ...declared, expiresAt, received },
    });
    const { sha256, sizeBytes } = declared;
    const uploadUrl = await storage.uploadUrl(
      { attachmentId: id, organizationId, sha256, sizeBytes },
      expiresAt,
    );
    return {
      id,
      alreadyExists: false,
      uploadUrl,
      uploadMethod: 'PUT' as const,
      expiresAt: expiresAt.toISOString(),
    };
  }

  async function describeAnew(
    { organizationId }: Identity,
    attachment: StoredAttachment,
    declared: Declaration,
  ) {
    const { uploadedAt } = attachment.content!;
    await store.saveAttachment(organizationId, {
      ...attachment,
      content: { ...declared, uploadedAt },
      upload: null,
    });
    return {
      id: attachment.id,
      alreadyExists: true,
      uploadUrl: null,
      uploadMethod: null,
      expiresAt: null,
    };
  }

  /**
   * Has bytes that this attachment no longer refers to removed, after the transaction under way.
   */
  async function release(
    organizationId: string,
    attachmentId: string,
    { sha256, sizeBytes }: Declaration,
  ): Promise<void> {
    await store.checkContent({ organizationId, sha256 }, clock());
    const upload = { attachmentId, organizationId, sha256, sizeBytes };
    store.afterCommit(() => aside('forgetting an upload', () => storage.forgetUpload(upload)));
  }

  /**
   * The bytes go after it, where nothing else in the organization has the same. False where it is
   * not there.
   */
  function remove(organizationId: string, id: string): Promise<boolean> {
    return store.transaction(async () => {
      const attachment = await store.deleteAttachment(organizationId, id);
      if (!attachment) return false;
      for (const declaration of [attachment.content, attachment.upload])
        if (declaration) await release(organizationId, id, declaration);
      store.afterCommit(() => sweepSoon(organizationId));
      return true;
    });
  }

  /**
   * Changes an attachment whose bytes were found to be as declared; one that another request
   * committed meanwhile stays as it is.
   */
  function keepUpload(
    identity: Identity,
    id: string,
    checked: Declaration,
  ): Promise<StoredAttachment> {
    const { organizationId } = identity;
    return store.transaction(async () => {
      const { upload, ...attachment } = await attachmentOf(identity, id);
      if (!upload) return { ...attachment, upload };
      if (!isSame(upload, checked) || !isOpen(upload, clock())) throw declaredAnew();
      const { expiresAt: _expiresAt, received: _received, ...declared } = upload;
      const committed = {
        ...attachment,
        content: { ...declared, uploadedAt: clock() },
        upload: null,
      };
      await store.saveAttachment(organizationId, committed);
      if (attachment.content) await release(organizationId, id, attachment.content);
      store.afterCommit(() => sweepSoon(organizationId));
      return committed;
    });
  }

  return {
    declare(identity: Identity, { sessionId, filePath, ...body }: DeclareBody) {
      const declared = {
        ...body,
        filename: body.filename ?? null,
        metadata: body.metadata?.toString() ?? null,
      };
      return store.transaction(async () => {
        const existing = await store.findAttachmentAt(identity.organizationId, sessionId, filePath);
        if (existing?.content && isSame(existing.content, declared))
          return describeAnew(identity, existing, declared);
        const attachment = existing ?? {
          id: newId(),
          sessionId,
          filePath,
          content: null,
          upload: null,
        };
        await byteQuota.check(identity.organizationId, declared.sizeBytes, attachment);
        return expectUpload(identity, attachment, declared);
      });
    },

    async commit(identity: Identity, id: string) {
      const attachment = await attachmentOf(identity, id);
      const { upload } = attachment;
      if (!upload) return toReply(attachment);
      if (!isOpen(upload, clock()))
        throw conflict('The time for this upload is over: declare the attachment again.');
      const address = { organizationId: identity.organizationId, sha256: upload.sha256 };
      const landed =
        upload.received ??
        (await storage.collect({ ...address, attachmentId: id, sizeBytes: upload.sizeBytes }));
      if (!landed) throw conflict('The bytes of this attachment were not uploaded yet.');
      checkLanded(landed, upload);
      try {
        return toReply(await keepUpload(identity, id, upload));
      } catch (error) {
        if (error instanceof Failure) await store.checkContent(address, clock());
        throw error;
      }
    },

    async get(identity: Identity, id: string) {
      const attachment = await attachmentOf(identity, id);
      if (!attachment.content)
        return { ...toReply(attachment), downloadUrl: null, downloadExpiresAt: null };
      const { sha256, contentType, filename } = attachment.content;
      const expiresAt = after(clock(), downloadMs);
      const disposition = dispositionHeader({ filename, filePath: attachment.filePath });
      const address = { attachmentId: id, organizationId: identity.organizationId, sha256 };
      const downloadUrl = await storage.downloadUrl(
        { ...address, contentType: contentTypeHeader(contentType), disposition },
        expiresAt,
      );
      return { ...toReply(attachment), downloadUrl, downloadExpiresAt: expiresAt.toISOString() };
    },

    async delete({ organizationId }: Identity, id: string) {
      if (!(await remove(organizationId, id))) throw notFound('attachment', id);
      return { success: true as const };
    },

    /** Erases attachments of a session, some in each answer. */
    async forgetSession({ organizationId }: Identity, sessionId: string) {
      let erased = 0;
      for (const id of await store.someOfSession(organizationId, sessionId, erasedMax))
        if (await remove(organizationId, id)) erased++;
      const left = await store.countOfSession(organizationId, sessionId);
      return { places: [{ place: 'attachments', erased, left }], isDone: left === 0 };
    },

    async list(
      { organizationId }: Identity,
      sessionId: string,
      page: PageRequest,
    ): Promise<Page<ReturnType<typeof toReply>>> {
      const { items, next } = await store.listUploaded(organizationId, sessionId, page);
      return { items: items.map(toReply), next };
    },
  };
}

function checkLanded(landed: UploadMeasure, declared: Declaration): void {
  if (landed.sizeBytes !== declared.sizeBytes)
    throw invalidAt(
      '/sizeBytes',
      `was declared as ${declared.sizeBytes}, but ${landed.sizeBytes} bytes were uploaded`,
    );
  if (landed.sha256 !== declared.sha256)
    throw invalidAt(
      '/sha256',
      `was declared as ${declared.sha256}, but the uploaded bytes have ${landed.sha256}`,
    );
}

const declaredAnew = () =>
  conflict('This attachment was declared anew: upload what was declared last.');

/**
 * An attachment as clients see it: the committed content or, before any commit, the declared one.
 */
function toReply({ id, sessionId, filePath, content, upload }: StoredAttachment) {
  const { filename, contentType, sizeBytes, sha256, metadata } = (content ?? upload)!;
  return {
    id,
    sessionId,
    filePath,
    filename,
    contentType,
    sizeBytes,
    sha256,
    status: content ? ('uploaded' as const) : ('pending' as const),
    uploadedAt: content ? content.uploadedAt.toISOString() : null,
    metadata: metadata === null ? null : new JsonText(Buffer.from(metadata)),
  };
}
