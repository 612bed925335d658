import { readConfig } from '@assay/runtime/config';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { z } from 'zod';

/**
 * A collection of the baseline's database; an acknowledged write is on a majority and in the
 * journal, as ours is.
 */
export async function openCollection<Shape extends Document>(
  name: string,
): Promise<Collection<Shape>> {
  const { MONGODB_URI } = readConfig({ MONGODB_URI: z.string() });
  const client = await MongoClient.connect(MONGODB_URI, {
    writeConcern: { w: 'majority', journal: true },
  });
  return client.db('baseline').collection<Shape>(name);
}
