import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import {
  attachmentBlockBytes,
  type ImportedAttachments,
  type Line,
  type LineToWrite,
  lineFormat,
  lineSchemas,
  missingAttachmentsMax,
} from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { ContentAddress, Storage } from '../storage/content.ts';
import type { ArrivingAttachment } from '../store/arriving.ts';
import type { Declaration, Store } from '../store.ts';
import type { ByteQuota } from './byte-quota.ts';
import { isSame } from './bytes.ts';
import { after, arrivingMs, claimMs } from './lifetimes.ts';

const { attachment, attachmentBytes } = lineSchemas;
const schemas = { attachment, attachmentBytes };
const write = createLineWriter(schemas);
const read = createLineReader({ schemas, ...lineFormat });

/** Contents that an export remembers having written. */
const writtenMax = 10_000;

interface Dependencies {
  store: Store;
  storage: Storage;
  byteQuota: ByteQuota;
  /** Has content that nothing refers to removed, soon. */
  sweepSoon: (organizationId: string) => void;
  clock: () => Date;
  newId: () => string;
}

/** An attachment of an imported file, and its bytes where the file has them. */
interface SentAttachment {
  line: Line<'attachment'>;
  bytes: AsyncIterable<Uint8Array> | undefined;
}

type Outcome = Exclude<keyof ImportedAttachments, 'missingAttachments'>;

export type AttachmentPart = ReturnType<typeof createAttachmentPart>;

/** The attachments of sessions that the records of an exported or imported project name. */
export function createAttachmentPart({
  store,
  storage,
  byteQuota,
  sweepSoon,
  clock,
  newId,
}: Dependencies) {
  async function* attachmentsOf(
    { organizationId }: Identity,
    { sessionIds, withBytes }: { sessionIds: string[]; withBytes: boolean },
  ): AsyncGenerator<LineToWrite<'attachment' | 'attachmentBytes'>> {
    const written = new Set<string>();
    for await (const found of store.listOfSessions(organizationId, sessionIds)) {
      const { sessionId, filePath, content } = found;
      if (!content) continue;
      const { filename, contentType, sizeBytes, sha256, metadata: notes } = content;
      const metadata = notes === null ? null : new JsonText(Buffer.from(notes));
      const declared = { filename, contentType, sizeBytes, sha256, metadata };
      yield { kind: 'attachment', sessionId, filePath, ...declared };
      if (!withBytes || written.has(sha256)) continue;
      if (written.size === writtenMax) written.clear();
      written.add(sha256);
      for await (const block of inBlocks((await storage.read({ organizationId, sha256 })) ?? []))
        yield { kind: 'attachmentBytes', base64: block.toString('base64') };
    }
  }

  /** Makes bytes that are at their address, or come there, an attachment of an import. */
  async function claim(
    organizationId: string,
    projectId: string,
    { sessionId, filePath, ...declared }: Declaration & { sessionId: string; filePath: string },
  ): Promise<void> {
    const expiresAt = after(clock(), arrivingMs);
    const { sha256, sizeBytes } = declared;
    await byteQuota.check(organizationId, sizeBytes);
    await store.checkContent({ organizationId, sha256 }, after(expiresAt, claimMs));
    const arriving = { id: newId(), sessionId, filePath, ...declared };
    await store.arriving.add(organizationId, arriving, { projectId, expiresAt });
  }

  /** Puts the bytes at their address, if they are as the file says. */
  async function keepBytes(
    { organizationId, sha256 }: ContentAddress,
    { line, bytes }: { line: Line<'attachment'>; bytes: AsyncIterable<Uint8Array> },
  ): Promise<void> {
    await store.transaction(async () => {
      await byteQuota.check(organizationId, line.sizeBytes);
      // Whatever comes to an address is known before it is there.
      await store.checkContent({ organizationId, sha256 }, after(clock(), arrivingMs));
    });
    const received = await storage.receive(bytes, organizationId, line.sizeBytes);
    try {
      if (received.sha256 !== sha256 || received.sizeBytes !== line.sizeBytes)
        throw invalidAt(
          '/sha256',
          `is not that of the bytes of the attachment "${line.filePath}", of which the file has ${received.sizeBytes}: it was changed or is damaged. Export the project again`,
        );
      await received.keep();
    } finally {
      await received.discard();
    }
  }

  async function attach(
    { organizationId }: Identity,
    projectId: string,
    { line, bytes }: SentAttachment,
  ): Promise<Outcome> {
    const { sessionId, filePath, filename, contentType, sizeBytes, sha256, metadata } = line;
    const address = { organizationId, sha256 };
    const existing = await store.findAttachmentAt(organizationId, sessionId, filePath);
    if (existing?.content) return isSame(existing.content, line) ? 'present' : 'different';
    const declared = {
      sessionId,
      filePath,
      sha256,
      sizeBytes,
      contentType: contentType ?? 'application/octet-stream',
      filename,
      metadata: metadata?.toString() ?? null,
    };
    const isClaimed = await store.transaction(async () => {
      if (!(await store.isContentThere(address))) return false;
      await claim(organizationId, projectId, declared);
      return true;
    });
    if (isClaimed) return 'attached';
    if (!bytes) return 'missing';
    await keepBytes(address, { line, bytes });
    await store.transaction(() => claim(organizationId, projectId, declared));
    return 'attached';
  }

  /** Attaches one of an import. One that the session has got meanwhile stays as it is. */
  async function reveal(
    organizationId: string,
    { id, sessionId, filePath, ...declared }: ArrivingAttachment,
  ): Promise<void> {
    const { sha256 } = declared;
    await store.transaction(async () => {
      const existing = await store.findAttachmentAt(organizationId, sessionId, filePath);
      if (!existing?.content)
        await store.saveAttachment(organizationId, {
          ...(existing ?? { id, sessionId, filePath, upload: null }),
          content: { ...declared, uploadedAt: clock() },
        });
      await store.checkContent({ organizationId, sha256 }, clock());
      await store.arriving.delete(organizationId, id);
    });
  }

  return {
    async exportAttachments(
      identity: Identity,
      wanted: { sessionIds: string[]; withBytes: boolean },
    ) {
      return linesReply(write(attachmentsOf(identity, wanted)));
    },

    /** Takes attachments and their bytes as they come, one after the other. */
    async restorePart(
      identity: Identity,
      projectId: string,
      stream: AsyncIterable<Uint8Array>,
    ): Promise<ImportedAttachments> {
      const counts = { attached: 0, present: 0, different: 0, missing: 0 };
      const missingAttachments: ImportedAttachments['missingAttachments'] = [];
      for await (const sent of attachmentsIn(stream)) {
        const outcome = await attach(identity, projectId, sent);
        counts[outcome] += 1;
        if (outcome !== 'missing' || missingAttachments.length === missingAttachmentsMax) continue;
        const { sessionId, filePath, sizeBytes, sha256 } = sent.line;
        missingAttachments.push({ sessionId, filePath, sizeBytes, sha256 });
      }
      return { ...counts, missingAttachments };
    },

    async revealPart({ organizationId }: Identity, projectId: string) {
      for await (const arriving of store.arriving.list(organizationId, projectId))
        await reveal(organizationId, arriving);
      sweepSoon(organizationId);
      return {};
    },

    /** Deletes the attachments that a failed import had brought. */
    async forgetProject({ organizationId }: Identity, projectId: string): Promise<void> {
      for await (const { id, sha256 } of store.arriving.list(organizationId, projectId))
        await store.transaction(async () => {
          await store.checkContent({ organizationId, sha256 }, clock());
          await store.arriving.delete(organizationId, id);
        });
      sweepSoon(organizationId);
    },
  };
}

/** Yields each attachment of a stream of lines. Bytes that nobody reads are passed over. */
async function* attachmentsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<SentAttachment> {
  const lines = read(stream);
  let next = await lines.next();
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (; !next.done && next.value.kind === 'attachmentBytes'; next = await lines.next())
      yield Buffer.from(next.value.base64, 'base64');
  }
  while (!next.done) {
    const line = next.value;
    if (line.kind !== 'attachment')
      throw invalidAt('/kind', 'is "attachmentBytes", which must follow an attachment');
    next = await lines.next();
    const hasBytes = line.sizeBytes === 0 || (!next.done && next.value.kind === 'attachmentBytes');
    yield { line, bytes: hasBytes ? bytes() : undefined };
    for await (const _passedOver of bytes());
  }
}

/** The same bytes in pieces of the size that a line may carry. */
async function* inBlocks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let rest: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    rest.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < attachmentBlockBytes) continue;
    const all = Buffer.concat(rest);
    let from = 0;
    for (; all.length - from >= attachmentBlockBytes; from += attachmentBlockBytes)
      yield all.subarray(from, from + attachmentBlockBytes);
    rest = [all.subarray(from)];
    bytes = all.length - from;
  }
  if (bytes > 0) yield Buffer.concat(rest);
}
