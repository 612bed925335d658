import type { Collection, Document } from 'mongodb';

/** Returns the bytes that a collection takes on disk, with its indexes; 0 where there is none yet. */
export async function bytesOnDisk<Stored extends Document>(
  collection: Pick<Collection<Stored>, 'aggregate'>,
): Promise<number> {
  const found = await collection
    .aggregate<{ storageStats: { totalSize: number } }>([{ $collStats: { storageStats: {} } }])
    .toArray();
  return Number(found[0]?.storageStats.totalSize ?? 0);
}
