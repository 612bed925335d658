import { createHash, type Hash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { invalidAt, unavailable } from '@assay/contracts/failure';
import type { SignedUrls } from '../signed-urls.ts';
import type { ContentAddress, Storage, TemporaryContent } from './content.ts';

const readBytes = 256 * 1024;
const drainBytesMax = 16 * 1024 * 1024;

/**
 * Keeps content in files that only the process's own user may read: `<folder>/<organization>/<first
 * two of the hash>/<hash>`. Incomplete files are in `<folder>/temporary`. An upload that would
 * leave less than `reserveBytes` of the disk is refused before it is read.
 */
export function createDiskStorage({
  folder: given,
  reserveBytes,
  urls,
}: {
  folder: string;
  reserveBytes: number;
  urls: SignedUrls;
}): Storage {
  const folder = resolve(given);
  const temporaryFolder = join(folder, 'temporary');
  const pathOf = ({ organizationId, sha256 }: ContentAddress) =>
    join(folder, organizationId, sha256.slice(0, 2), sha256);

  async function receive(
    stream: AsyncIterable<Uint8Array>,
    organizationId: string,
    sizeBytesMax: number,
  ): Promise<TemporaryContent> {
    await mkdir(temporaryFolder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(temporaryFolder);
    if (bavail * bsize < reserveBytes + sizeBytesMax) throw noRoom();
    const path = join(temporaryFolder, randomUUID());
    const hash = createHash('sha256');
    const discard = () => rm(path, { force: true });
    try {
      const sizeBytes = await writeDurably(path, hashed(stream, hash, sizeBytesMax));
      const sha256 = hash.digest('hex');
      return {
        sizeBytes,
        sha256,
        discard,
        keep: () => moveDurably(path, pathOf({ organizationId, sha256 }), folder),
      };
    } catch (error) {
      await discard();
      throw isFull(error) ? noRoom(error) : error;
    }
  }

  async function read(address: ContentAddress): Promise<AsyncIterable<Uint8Array> | undefined> {
    const path = pathOf(address);
    return (await isThere(path)) ? readFileLate(path) : undefined;
  }

  async function removeAbandoned(before: Date): Promise<void> {
    for (const name of await readdir(temporaryFolder).catch(noneWhereMissing)) {
      const path = join(temporaryFolder, name);
      const { mtime } = await stat(path).catch(() => ({ mtime: new Date() }));
      if (mtime < before) await rm(path, { force: true });
    }
  }

  return {
    uploadUrl: async (upload, expiresAt) => urls.uploadUrl(upload, expiresAt),
    downloadUrl: async (download, expiresAt) => urls.downloadUrl(download, expiresAt),
    collect: async () => undefined,
    forgetUpload: async () => undefined,
    count: async (organizationId) => {
      const entries = await readdir(join(folder, organizationId), {
        recursive: true,
        withFileTypes: true,
      }).catch(noneWhereMissing);
      return entries.filter((entry) => !entry.isDirectory()).length;
    },
    erase: (organizationId) => rm(join(folder, organizationId), { recursive: true, force: true }),
    remove: (address) => rm(pathOf(address), { force: true }),
    removeAbandoned,
    isThrough: true,
    receive,
    read,
  };
}

/**
 * Takes the bytes by hand: leaving a `for await` destroys the request, and the client would see a
 * broken connection in place of its answer.
 */
async function* hashed(
  stream: AsyncIterable<Uint8Array>,
  hash: Hash,
  sizeBytesMax: number,
): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]();
  let sizeBytes = 0;
  let isRead = false;
  try {
    for (;;) {
      const { done, value: chunk } = await chunks.next();
      isRead = done === true;
      if (done) return;
      sizeBytes += chunk.byteLength;
      if (sizeBytes > sizeBytesMax)
        throw invalidAt('', `has more than the ${sizeBytesMax} bytes that were declared`);
      hash.update(chunk);
      yield chunk;
    }
  } finally {
    if (!isRead) void drain(chunks).catch(() => undefined);
  }
}

/**
 * Reads on for a while, so that the client gets to its answer and its leaving is noticed; then the
 * connection ends.
 */
async function drain(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  for (let drainedBytes = 0; drainedBytes < drainBytesMax; ) {
    const { done, value: chunk } = await chunks.next();
    if (done) return;
    drainedBytes += chunk.byteLength;
  }
  await chunks.return?.();
}

/** Writes a new file and waits until it is on the disk. The bytes written. */
async function writeDurably(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeFile(file, chunks);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** A name is durable when its folder is, up to `root`. */
async function moveDurably(from: string, to: string, root: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rename(from, to);
  for (let folder = dirname(to); folder.length >= root.length; folder = dirname(folder))
    await syncFolder(folder);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Opens the file when the first byte is asked for: a reply that is never sent leaves nothing open.
 */
async function* readFileLate(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  yield* file.createReadStream({ highWaterMark: readBytes });
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );

function noneWhereMissing(error: unknown): never[] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}

const noRoom = (cause?: unknown) =>
  unavailable('There is no room for more attachments at the moment.', cause);

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
