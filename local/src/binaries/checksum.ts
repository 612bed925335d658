import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The SHA-256 of a file, in hex. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Throws when the file's SHA-256 (hex) is another than the expected one. */
export async function verifySha256({
  file,
  sha256,
}: {
  file: string;
  sha256: string;
}): Promise<void> {
  const got = await sha256Of(file);
  if (got !== sha256)
    throw new Error(`${basename(file)} has the SHA-256 ${got}, expected ${sha256}`);
}
