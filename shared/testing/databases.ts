import { type Document, MongoClient } from 'mongodb';

/** Drops every database whose name begins with `<prefix>_`. */
export async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const client = new MongoClient(uri);
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) if (name.startsWith(`${prefix}_`)) await client.db(name).dropDatabase();
  await client.close();
}

/** All documents of a service's collection, as they are kept. */
export async function readCollection({
  uri,
  prefix,
  service,
  collection,
  projection,
}: {
  uri: string;
  prefix: string;
  service: string;
  collection: string;
  projection: Document;
}): Promise<Document[]> {
  const client = new MongoClient(uri);
  try {
    return await client.db(`${prefix}_${service}`).collection(collection).find({}, { projection }).toArray();
  } finally {
    await client.close();
  }
}
