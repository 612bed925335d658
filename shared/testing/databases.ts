import { connectNats } from '@assay/runtime/bus/connection';
import type { ServiceConfig } from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import { BSON, type Collection, type Document, MongoClient } from 'mongodb';

/**
 * Drops the databases and the streams of a test's own. Streams reserve room, and the server of a
 * test run has it for few of them.
 */
export async function dropData(config: ServiceConfig): Promise<void> {
  await dropDatabases(config.MONGODB_URI, config.DATABASE_PREFIX);
  const log = createLog({ name: 'test', level: 'silent' });
  const connection = await connectNats({ urls: config.NATS_URL, nats: config, name: 'test', log });
  const manager = await connection.jetstreamManager();
  for await (const name of manager.streams.names())
    if (name.startsWith(`${config.SUBJECT_PREFIX.toUpperCase()}-`))
      await manager.streams.delete(name);
  await connection.close();
}

/** Drops every database whose name begins with `<prefix>_`. */
export async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const client = new MongoClient(uri);
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  const own = databases.filter(({ name }) => name.startsWith(`${prefix}_`));
  await Promise.all(own.map(({ name }) => client.db(name).dropDatabase()));
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
    return await client
      .db(`${prefix}_${service}`)
      .collection(collection)
      .find({}, { projection })
      .toArray();
  } finally {
    await client.close();
  }
}

/**
 * Holds the lock of a service's migrations, as another process does that is at work. Returns how to
 * let it go.
 */
export async function holdMigrations({
  uri,
  prefix,
  service,
}: {
  uri: string;
  prefix: string;
  service: string;
}): Promise<() => Promise<void>> {
  const client = new MongoClient(uri);
  const changelog = client
    .db(`${prefix}_${service}`)
    .collection<{ _id: string; holder: string; at: Date }>('migrations');
  await changelog.insertOne({ _id: 'lock', holder: 'another', at: new Date() });
  return async () => {
    await changelog.deleteOne({ _id: 'lock' });
    await client.close();
  };
}

export type KeptCollection = Collection<{ _id: string }>;

/** Works on a service's collection, past the service. */
export async function withCollection<Result>(
  {
    uri,
    prefix,
    service,
    collection,
  }: { uri: string; prefix: string; service: string; collection: string },
  work: (found: KeptCollection) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(uri);
  try {
    return await work(client.db(`${prefix}_${service}`).collection(collection));
  } finally {
    await client.close();
  }
}

/** Returns the collections in whose documents a text stands anywhere, as `<service>.<collection>`. */
export async function findPlaces({
  uri,
  prefix,
  text,
}: {
  uri: string;
  prefix: string;
  text: string;
}): Promise<string[]> {
  const client = new MongoClient(uri);
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  const places = new Set<string>();
  for (const { name } of databases.filter(({ name }) => name.startsWith(`${prefix}_`)))
    for (const collection of await client.db(name).collections())
      for await (const document of collection.find())
        if (Buffer.from(BSON.serialize(document)).includes(text))
          places.add(`${name.slice(prefix.length + 1)}.${collection.collectionName}`);
  await client.close();
  return [...places].sort();
}
