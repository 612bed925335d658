import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Where a content lies below any folder of attachments: `<organization>/<first two of the
 * hash>/<hash>`.
 */
export interface Content {
  organizationId: string;
  sha256: string;
}

export const contentPath = ({ organizationId, sha256 }: Content): string =>
  join(organizationId, sha256.slice(0, 2), sha256);

interface FileDigest {
  bytes: number;
  sha256: string;
}

/** Undefined where there is no such file. */
async function read(
  path: string,
  take: (chunk: Uint8Array) => Promise<unknown> = async () => undefined,
): Promise<FileDigest | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk);
      bytes += chunk.length;
      await take(chunk);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * Copies a content durably; its bytes, or why there is no good copy, in which case none is left.
 */
export async function copyContent(
  content: Content,
  { from, to }: { from: string; to: string },
): Promise<number | 'missing' | 'altered'> {
  const path = join(to, contentPath(content));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'w', 0o600);
  let copied: FileDigest | undefined;
  try {
    copied = await read(join(from, contentPath(content)), (chunk) => file.write(chunk));
    await file.sync();
  } finally {
    await file.close();
  }
  if (copied?.sha256 === content.sha256) return copied.bytes;
  await rm(path);
  return copied ? 'altered' : 'missing';
}

/** Removes everything that the organizations of these contents have in the folder. */
export async function removeContents(contents: Content[], folder: string): Promise<void> {
  for (const organizationId of new Set(contents.map((content) => content.organizationId)))
    await rm(join(folder, organizationId), { recursive: true, force: true });
}

/** Is the content there, with the bytes that its name says? */
export const isWhole = async (content: Content, folder: string): Promise<boolean> =>
  (await read(join(folder, contentPath(content))))?.sha256 === content.sha256;

/** The listing's text: a line each, in order. */
export const listingOf = (files: Map<string, number>): string =>
  [...files]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([path, bytes]) => `${path} ${bytes}\n`)
    .join('');

/**
 * @throws Error whose message is one sentence where it is not the listing that the manifest knows.
 */
export async function readListing(path: string, sha256: string): Promise<Content[]> {
  const text = await readFile(path, 'utf8');
  if (sha256Of(text) !== sha256) throw new Error(`${path} is damaged.`);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [organizationId = '', , name = ''] = line.split(' ')[0]!.split('/');
      return { organizationId, sha256: name };
    });
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Is there no content, of whatever organization? */
export async function holdsNothing(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.every((name) => name === 'temporary');
}
