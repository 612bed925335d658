import {
  type Content,
  contentPath,
  copyContent,
  holdsNothing,
  isWhole,
  readListing,
  removeContents,
} from './attachment-files.ts';
import type { Databases } from './databases.ts';
import { counting, digestOf, readDocuments } from './document-file.ts';
import {
  attachmentsOf,
  documentsIn,
  type KeptCollection,
  listingIn,
  type Manifest,
  readManifest,
} from './manifest.ts';

interface RestoreOptions {
  databases: Databases;
  /** Undefined where they are in a bucket. */
  attachmentsFolder: string | undefined;
  from: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

const batchDocuments = 1000;
const batchBytes = 8 * 1024 * 1024;

/**
 * Puts a backup into an empty installation whose services are not running, and compares every
 * digest. If the restore fails halfway, drops its databases and removes its attachments again.
 * Throws an Error whose message is one sentence.
 */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const { databases, attachmentsFolder, from, say, signal } = options;
  const manifest = await readManifest(from);
  const contents = await contentsOf(manifest, options);
  const [taken] = await databases.names();
  if (taken !== undefined)
    throw new Error(
      `This installation is not empty: it has the database of ${taken}. Restore into a new one, or drop its databases.`,
    );
  if (attachmentsFolder !== undefined && !(await holdsNothing(attachmentsFolder)))
    throw new Error(
      `This installation is not empty: there are files in ${attachmentsFolder}. Name another folder.`,
    );
  try {
    for (const content of contents) {
      signal.throwIfAborted();
      const outcome = await copyContent(content, {
        from: attachmentsOf(from),
        to: attachmentsFolder!,
      });
      if (typeof outcome === 'string')
        throw new Error(`The backup's ${contentPath(content)} is ${outcome}.`);
    }
    for (const kept of manifest.collections) {
      await restoreCollection(kept, options);
      say(`${kept.service}.${kept.collection}: ${kept.documents} documents`);
    }
    await compareWithBackup(options);
  } catch (error) {
    for (const { service } of manifest.collections) await databases.drop(service);
    if (attachmentsFolder !== undefined) await removeContents(contents, attachmentsFolder);
    throw error;
  }
}

async function restoreCollection(
  kept: KeptCollection,
  { databases, from, signal }: RestoreOptions,
): Promise<void> {
  await databases.create(kept);
  const { documents, digest } = counting(readDocuments(documentsIn(from, kept)), {
    tell: () => undefined,
    signal,
  });
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const document of documents) {
    batch.push(document);
    bytes += document.byteLength;
    if (batch.length < batchDocuments && bytes < batchBytes) continue;
    await databases.insert(kept, batch);
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) await databases.insert(kept, batch);
  if (digest().sha256 !== kept.sha256)
    throw new Error(
      `${documentsIn(from, kept)} is damaged: it does not have the digest of the manifest.`,
    );
}

/**
 * Compares an installation with a backup: every collection and every file. Throws an Error whose
 * message is one sentence that names the differences.
 */
export async function compareWithBackup(options: RestoreOptions): Promise<void> {
  const { databases, attachmentsFolder, from, say, signal } = options;
  const manifest = await readManifest(from);
  const snapshot = await databases.openSnapshot();
  const different: string[] = [];
  try {
    for (const kept of manifest.collections) {
      const found = await digestOf(
        counting(snapshot.documents(kept), { tell: () => undefined, signal }),
      );
      const indexes = snapshot.collections.find(
        (each) => each.service === kept.service && each.collection === kept.collection,
      )?.indexes;
      if (found.sha256 !== kept.sha256 || JSON.stringify(indexes) !== JSON.stringify(kept.indexes))
        different.push(`${kept.service}.${kept.collection}`);
    }
    for (const { service, collection } of snapshot.collections)
      if (
        !manifest.collections.some(
          (kept) => kept.service === service && kept.collection === collection,
        )
      )
        different.push(`${service}.${collection}`);
  } finally {
    await snapshot.close();
  }
  for (const content of await contentsOf(manifest, options)) {
    signal.throwIfAborted();
    if (!(await isWhole(content, attachmentsFolder!))) different.push(contentPath(content));
  }
  if (different.length > 0)
    throw new Error(
      `The installation differs from the backup in ${different.slice(0, 20).join(', ')}.`,
    );
  say(
    `${manifest.collections.length} collections and ${manifest.attachments?.files ?? 0} files are as in the backup.`,
  );
}

async function contentsOf(
  { attachments }: Manifest,
  { attachmentsFolder, from }: RestoreOptions,
): Promise<Content[]> {
  if (attachments === null) return [];
  if (attachmentsFolder === undefined)
    throw new Error('The backup has attachments: set ATTACHMENTS_FOLDER to where they belong.');
  return readListing(listingIn(from), attachments.sha256);
}
