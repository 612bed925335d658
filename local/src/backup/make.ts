import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { version } from '@assay/contracts/version';
import { type Content, contentPath, copyContent, listingOf, sha256Of } from './attachment-files.ts';
import type { Databases, Snapshot } from './databases.ts';
import { counting, writeDocuments } from './document-file.ts';
import {
  attachmentsOf,
  documentsIn,
  type KeptCollection,
  listingIn,
  type Manifest,
  manifestIn,
  versions,
} from './manifest.ts';

interface BackupOptions {
  databases: Databases;
  /** Undefined where they are in a bucket. */
  attachmentsFolder: string | undefined;
  /** Where the backup is to be; nothing may be there yet. */
  to: string;
  /** Called at each step, with one line. */
  say: (line: string) => void;
  signal: AbortSignal;
}

const roundsMax = 20;
const toldEvery = 100_000;
const toldFilesEvery = 1000;

/**
 * Backs up a running installation as it was at one moment, which is not before this call. Written
 * beside its name and renamed when it is whole and on the disk. Throws an Error whose message is
 * one sentence.
 */
export async function makeBackup({
  databases,
  attachmentsFolder,
  to,
  say,
  signal,
}: BackupOptions): Promise<Manifest> {
  if (await isThere(to)) throw new Error(`${to} is there already: name another folder.`);
  const folder = `${to}.unfinished`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${dirname(to)} cannot be written (${error.code}): let the user who runs this make files there.`,
      { cause: error },
    );
  });
  try {
    const manifest = await databases.withLongHistory(() =>
      fill({ databases, attachmentsFolder, to: folder, say, signal }),
    );
    await writeWhole(manifestIn(folder), `${JSON.stringify(manifest, null, 1)}\n`);
    await rename(folder, to);
    return manifest;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function fill(options: BackupOptions): Promise<Manifest> {
  const { databases, attachmentsFolder, to, say, signal } = options;
  if ((await databases.names()).length === 0)
    throw new Error('There is no database of Assay here: check MONGODB_URI and DATABASE_PREFIX.');
  const copy =
    attachmentsFolder === undefined
      ? undefined
      : createCopy({ ...options, from: attachmentsFolder });
  const { snapshot, attachments } = await openWithFiles({ databases, copy });
  try {
    const collections: KeptCollection[] = [];
    for (const shape of snapshot.collections) {
      const place = `${shape.service}.${shape.collection}`;
      const tell = (documents: number) =>
        documents % toldEvery === 0 && say(`${place}: ${documents} documents …`);
      const counted = counting(snapshot.documents(shape), { tell, signal });
      const path = documentsIn(to, shape);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeDocuments(path, counted.documents);
      collections.push({ ...shape, ...counted.digest() });
      say(`${place}: ${counted.digest().documents} documents`);
    }
    if (attachments) {
      await writeWhole(listingIn(to), attachments.listing);
      const { files, bytes, damaged } = attachments.summary;
      say(`attachments: ${files} files, ${bytes} bytes`);
      for (const path of damaged)
        say(`attachments: ${path} is missing or altered, and is not in the backup`);
    }
    return {
      ...versions,
      assay: version,
      mongodb: databases.version,
      madeAt: new Date().toISOString(),
      collections,
      attachments: attachments?.summary ?? null,
    };
  } finally {
    await snapshot.close();
  }
}

const attachments = { service: 'sessions', collection: 'attachments' };

interface CopiedAttachments {
  listing: string;
  summary: NonNullable<Manifest['attachments']>;
}

/**
 * Copies most files before the moment is chosen, because MongoDB does not keep a moment for ever.
 * If a later deletion took a file away before it was copied, another moment is chosen: by then only
 * the files that came meanwhile remain to be copied.
 */
async function openWithFiles({
  databases,
  copy,
}: {
  databases: Databases;
  copy: ReturnType<typeof createCopy> | undefined;
}): Promise<{ snapshot: Snapshot; attachments: CopiedAttachments | undefined }> {
  for (let round = copy ? 0 : 1; ; round++) {
    const snapshot = await databases.openSnapshot();
    try {
      if (!copy) return { snapshot, attachments: undefined };
      const kept = await copy(snapshot);
      if (kept && round > 0) return { snapshot, attachments: kept };
    } catch (error) {
      await snapshot.close();
      throw error;
    }
    await snapshot.close();
    if (round === roundsMax)
      throw new Error(
        'Attachments are deleted faster than they can be copied: begin the backup again later.',
      );
  }
}

interface AttachmentDocument {
  organizationId: string;
  content: { sha256: string } | null;
  upload: { sha256: string; received: { sha256: string | null } | null } | null;
}

/**
 * Copies the files that a snapshot refers to and that no earlier round copied. Undefined: a file
 * was deleted meanwhile.
 */
function createCopy({
  databases,
  from,
  to: folder,
  say,
  signal,
}: BackupOptions & { from: string }) {
  const to = attachmentsOf(folder);
  const copied = new Map<string, number>();

  return async (snapshot: Snapshot): Promise<CopiedAttachments | undefined> => {
    const damaged: string[] = [];
    const referred = await contentsIn(snapshot);
    for (const [path, content] of referred) {
      signal.throwIfAborted();
      if (copied.has(path)) continue;
      const outcome = await copyContent(content, { from, to });
      if (outcome === 'missing' && !(await isReferredTo(databases, content))) return undefined;
      if (typeof outcome === 'string') damaged.push(path);
      else if (copied.set(path, outcome).size % toldFilesEvery === 0)
        say(`attachments: ${copied.size} files …`);
    }
    for (const path of copied.keys()) {
      if (referred.has(path)) continue;
      await rm(join(to, path));
      copied.delete(path);
    }
    const listing = listingOf(copied);
    const bytes = [...copied.values()].reduce((sum, each) => sum + each, 0);
    return {
      listing,
      summary: { files: copied.size, bytes, sha256: sha256Of(listing), damaged: damaged.sort() },
    };
  };
}

/** By their paths. All at once: while a large file is copied, MongoDB would end the reading. */
async function contentsIn(snapshot: Snapshot): Promise<Map<string, Content>> {
  const contents = new Map<string, Content>();
  if (
    !snapshot.collections.some(
      ({ service, collection }) =>
        service === attachments.service && collection === attachments.collection,
    )
  )
    return contents;
  for await (const { organizationId, content, upload } of snapshot.values<AttachmentDocument>(
    attachments,
  )) {
    for (const { sha256 } of [
      content ?? [],
      upload && upload.received?.sha256 === upload.sha256 ? upload : [],
    ].flat())
      contents.set(contentPath({ organizationId, sha256 }), { organizationId, sha256 });
  }
  return contents;
}

const isReferredTo = (
  databases: Databases,
  { organizationId, sha256 }: Content,
): Promise<boolean> =>
  databases.has(attachments, {
    organizationId,
    $or: [
      { 'content.sha256': sha256 },
      { 'upload.sha256': sha256, 'upload.received.sha256': sha256 },
    ],
  });

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
