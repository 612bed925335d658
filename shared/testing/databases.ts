import { MongoClient } from 'mongodb';

/** Drops every database whose name begins with `<prefix>_`. */
export async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const client = new MongoClient(uri);
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  for (const { name } of databases) if (name.startsWith(`${prefix}_`)) await client.db(name).dropDatabase();
  await client.close();
}
