import { contentPath, isWhole, readListing } from './attachment-files.ts';
import { counting, digestOf, readDocuments } from './document-file.ts';
import {
  attachmentsOf,
  documentsIn,
  type KeptCollection,
  listingIn,
  readManifest,
} from './manifest.ts';

const damagedNamedMax = 20;

interface CheckOptions {
  /** The folder of the backup. */
  from: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Reads every file of a backup, and compares it with the digest that the manifest has. Throws an
 * Error whose message is one sentence that names the damaged files.
 */
export async function checkBackup({ from, say, signal }: CheckOptions): Promise<void> {
  const { collections, attachments } = await readManifest(from);
  const damaged: string[] = [];
  for (const kept of collections)
    if (!(await hasItsDigest(kept, from, signal))) damaged.push(documentsIn(from, kept));
  if (attachments) {
    const folder = attachmentsOf(from);
    for (const content of await readListing(listingIn(from), attachments.sha256)) {
      signal.throwIfAborted();
      if (!(await isWhole(content, folder))) damaged.push(contentPath(content));
    }
  }
  if (damaged.length > 0) {
    const more = damaged.length - damagedNamedMax;
    const named = damaged.slice(0, damagedNamedMax).join(', ');
    throw new Error(
      `The backup is damaged: ${named}${more > 0 ? ` and ${more} more` : ''}. Take an older backup, or another copy of this one.`,
    );
  }
  say(
    `The backup is whole: ${collections.length} collections and ${attachments?.files ?? 0} files have their digests.`,
  );
}

async function hasItsDigest(
  kept: KeptCollection,
  from: string,
  signal: AbortSignal,
): Promise<boolean> {
  const documents = readDocuments(documentsIn(from, kept));
  try {
    const { sha256 } = await digestOf(counting(documents, { tell: () => undefined, signal }));
    return sha256 === kept.sha256;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
