import type { StreamReply } from '@assay/contracts/define';
import { conflict, invalidAt, notFound, organizationSuspended } from '@assay/contracts/failure';
import { forbidden, type SignedUrls } from '../signed-urls.ts';
import type { Storage, Upload } from '../storage/content.ts';
import type { Store, StoredAttachment } from '../store.ts';
import { contentTypeHeader, dispositionHeader } from './file-headers.ts';
import { isOpen } from './lifetimes.ts';

type WithSignature<Carried> = Carried & { expires: string; signature: string };

interface Body {
  /** Absent where a request came without a body. */
  stream: AsyncIterable<Uint8Array> | undefined | null;
  contentLength: number | undefined;
}

export type Bytes = ReturnType<typeof createBytes>;

/**
 * Serves the signed URLs of this service. A URL permits its holder the action that it names, and
 * nothing else.
 */
export function createBytes({
  store,
  storage,
  urls,
  isSuspended,
  clock,
}: {
  store: Store;
  storage: Storage;
  urls: SignedUrls;
  isSuspended: (organizationId: string) => boolean | Promise<boolean>;
  clock: () => Date;
}) {
  /** The storage, where its bytes pass through this service. */
  function through() {
    if (!storage.isThrough)
      throw forbidden('Attachments are kept elsewhere now: ask for a new URL.');
    return storage;
  }

  /** Signed URLs come without a key, which the gateway would refuse. */
  async function refuseSuspended(organizationId: string): Promise<void> {
    if (await isSuspended(organizationId)) throw organizationSuspended();
  }

  async function attachmentOf(organizationId: string, id: string): Promise<StoredAttachment> {
    const attachment = await store.findAttachment(organizationId, id);
    if (!attachment) throw notFound('attachment', id);
    return attachment;
  }

  async function requireDeclared(declared: Upload): Promise<void> {
    await refuseSuspended(declared.organizationId);
    const { upload } = await attachmentOf(declared.organizationId, declared.attachmentId);
    if (!upload || !isSame(upload, declared) || !isOpen(upload, clock())) throw notDeclared();
  }

  return {
    async upload(
      attachmentId: string,
      query: WithSignature<{ upload: string }>,
      { stream, contentLength }: Body,
    ) {
      const declared = urls.openUpload(attachmentId, query);
      const { organizationId, sizeBytes } = declared;
      const storage = through();
      if (contentLength !== undefined && contentLength !== sizeBytes)
        throw wrongSize(contentLength, sizeBytes);
      await requireDeclared(declared);
      const received = await storage.receive(stream ?? nothing(), organizationId, sizeBytes);
      try {
        if (received.sizeBytes !== sizeBytes) throw wrongSize(received.sizeBytes, sizeBytes);
        // Checked again: during a slow body, the claim that protects the content from removal may
        // have expired.
        await requireDeclared(declared);
        if (received.sha256 === declared.sha256) await received.keep();
        await noteReceived(declared, { sizeBytes, sha256: received.sha256 });
      } finally {
        await received.discard();
      }
      return { success: true as const };
    },

    async download(
      attachmentId: string,
      query: WithSignature<{ download: string }>,
    ): Promise<StreamReply> {
      const address = urls.openDownload(attachmentId, query);
      await refuseSuspended(address.organizationId);
      const { filePath, content } = await attachmentOf(address.organizationId, attachmentId);
      if (content?.sha256 !== address.sha256) throw notFound('attachment', attachmentId);
      const stream = await through().read(address);
      if (!stream) throw notFound('attachment', attachmentId);
      return {
        contentType: contentTypeHeader(content.contentType),
        contentLength: content.sizeBytes,
        headers: {
          ...harmless,
          'content-disposition': dispositionHeader({ filename: content.filename, filePath }),
        },
        stream,
      };
    },
  };

  async function noteReceived(
    declared: Upload,
    landed: { sizeBytes: number; sha256: string },
  ): Promise<void> {
    if (await store.noteReceived(declared.organizationId, declared.attachmentId, landed, declared))
      return;
    // Declared anew, committed or deleted while the bytes came: the kept content must be checked
    // here, because nothing else looks after it.
    await store.checkContent(declared, clock());
    throw notDeclared();
  }
}

/** A file that a client wrote must not run as a page of ours, whatever type it claims. */
const harmless = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private, no-store',
};

/** Is this the same content? */
export const isSame = (
  one: { sha256: string; sizeBytes: number },
  other: { sha256: string; sizeBytes: number },
): boolean => one.sha256 === other.sha256 && one.sizeBytes === other.sizeBytes;

async function* nothing(): AsyncGenerator<Uint8Array> {}

const wrongSize = (sizeBytes: number, declared: number) =>
  invalidAt('', `has ${sizeBytes} bytes, but ${declared} were declared`);

const notDeclared = () =>
  conflict('This attachment does not wait for these bytes (any more): declare it again.');
