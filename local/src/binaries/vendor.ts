import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { verifySha256 } from './checksum.ts';
import { runProgram } from './program.ts';

const connectTimeoutMs = 4_000;
const silenceTimeoutMs = 20_000;
const unpackTimeoutMs = 120_000;

/**
 * Downloads a vendor's .tar.gz into the folder, unpacks one member and gives its path. The SHA-256
 * is the one that the vendor publishes beside the archive: it tells a damaged download, and not a
 * vendor's host that was taken over. The wheels have their checksums in `sources.ts`; those of the
 * archives are missing there because the hosts could not be reached where the list was made.
 * Without a network it fails within 4 seconds; it never tries twice.
 */
export async function fetchArchive(options: {
  url: string;
  checksumsUrl: string;
  member: string;
  folder: string;
  log: (line: string) => void;
}): Promise<string> {
  const { url, checksumsUrl, member, folder, log } = options;
  const sha256 = await publishedSha256({ url: checksumsUrl, fileName: basename(url) });
  const archive = join(folder, basename(url));
  await download({ url, file: archive, log });
  await verifySha256({ file: archive, sha256 });
  await runProgram({
    command: 'tar',
    args: ['-xzf', archive, '-C', folder, member],
    timeoutMs: unpackTimeoutMs,
  });
  return join(folder, member);
}

/** A checksum file has lines of `<sha256>  <file name>`. */
async function publishedSha256({
  url,
  fileName,
}: {
  url: string;
  fileName: string;
}): Promise<string> {
  const response = await reach({ url, signal: AbortSignal.timeout(connectTimeoutMs) });
  const lines = (await response.text()).split('\n').map((line) => line.trim().split(/\s+/));
  const sha256 = lines.find(([, name]) => name?.replace(/^\*/, '') === fileName)?.[0];
  if (!sha256 || !/^[0-9a-f]{64}$/.test(sha256))
    throw new Error(`${url} has no SHA-256 of ${fileName}`);
  return sha256;
}

async function download({
  url,
  file,
  log,
}: {
  url: string;
  file: string;
  log: (line: string) => void;
}): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(
    () => silence.abort(new Error(`${new URL(url).host} stopped answering`)),
    silenceTimeoutMs,
  );
  try {
    const response = await reach({ url, signal: silence.signal });
    if (!response.body) throw new Error(`${url} answered without a body`);
    const bytesTotal = Number(response.headers.get('content-length')) || undefined;
    const progress = progressOf({ bytesTotal, log, onChunk: () => timer.refresh() });
    await pipeline(Readable.fromWeb(response.body), progress, createWriteStream(file), {
      signal: silence.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function reach({ url, signal }: { url: string; signal: AbortSignal }): Promise<Response> {
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    throw new Error(`${new URL(url).host} cannot be reached`, { cause });
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
}

function progressOf(options: {
  bytesTotal?: number;
  log: (line: string) => void;
  onChunk: () => void;
}): Transform {
  const { bytesTotal, log, onChunk } = options;
  const bytesStep = (bytesTotal ?? 80_000_000) / 4;
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onChunk();
      const stepsBefore = Math.floor(bytes / bytesStep);
      bytes += chunk.length;
      if (Math.floor(bytes / bytesStep) > stepsBefore)
        log(`  ${megabytes(bytes)}${bytesTotal ? ` of ${megabytes(bytesTotal)}` : ''} MB`);
      done(null, chunk);
    },
  });
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(0);
