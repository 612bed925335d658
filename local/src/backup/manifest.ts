import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { dataVersion } from '../data-folder.ts';

const formatVersion = 1;
const count = z.number().int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * The contents of a backup, with a digest of each part. The manifest is the last file that is
 * written, so a folder without one is no backup.
 */
const manifest = z.object({
  format: z.literal(formatVersion),
  dataVersion: z.literal(dataVersion),
  assay: z.string(),
  mongodb: z.string(),
  madeAt: z.string(),
  collections: z.array(
    z.object({
      service: z.string().regex(/^[a-z][a-z-]*$/),
      collection: z.string().regex(/^\w+$/),
      options: z.record(z.string(), z.unknown()),
      indexes: z.array(z.record(z.string(), z.unknown())),
      documents: count,
      bytes: count,
      /** Of the documents' BSON in the order of their ids. */
      sha256,
    }),
  ),
  /**
   * Null where they are in a bucket. `sha256` is of the file `attachments.txt`, whose lines name
   * each file with its length.
   */
  attachments: z
    .object({
      files: count,
      bytes: count,
      sha256,
      /**
       * Referred to by an attachment, and not there, or with other content, when the backup was
       * made.
       */
      damaged: z.array(z.string()),
    })
    .nullable(),
});

export type Manifest = z.output<typeof manifest>;
export type KeptCollection = Manifest['collections'][number];

export const versions = { format: formatVersion, dataVersion } as const;

export const manifestIn = (folder: string): string => join(folder, 'manifest.json');

export const documentsIn = (
  folder: string,
  { service, collection }: { service: string; collection: string },
): string => join(folder, 'databases', service, `${collection}.bson.gz`);

export const listingIn = (folder: string): string => join(folder, 'attachments.txt');

export const attachmentsOf = (folder: string): string => join(folder, 'attachments');

/** @throws Error whose message is one sentence where the folder holds no backup of use. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(manifestIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${folder} holds no whole backup: its manifest.json cannot be read (${error.code}).`,
    );
  });
  try {
    return manifest.parse(JSON.parse(text));
  } catch (error) {
    const { format, dataVersion: version } = (parsed(text) ?? {}) as Record<string, unknown>;
    if (format !== undefined && (format !== formatVersion || version !== dataVersion))
      throw new Error(
        `${folder} is the backup of another Assay (format ${format}, data ${version}): restore it with that one.`,
      );
    throw new Error(`The manifest.json of ${folder} is damaged.`, { cause: error });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
