import { createMongoClient } from '@assay/runtime/mongo/client';
import {
  BSON,
  type ClientSession,
  type CollectionInfo,
  type CreateCollectionOptions,
  type Document,
  type IndexDescription,
  MongoError,
  MongoServerError,
} from 'mongodb';

/** A collection of one service's database. */
export interface CollectionName {
  service: string;
  collection: string;
}

/** A collection with all that a new one must have before its documents. */
export interface CollectionShape extends CollectionName {
  options: Document;
  indexes: Document[];
}

/** Every service's database at one moment. */
export interface Snapshot {
  collections: CollectionShape[];
  /** The documents in the order of their ids, each as the BSON that MongoDB keeps. */
  documents(of: CollectionName): AsyncIterable<Uint8Array>;
  values<Shape extends Document>(of: CollectionName): AsyncIterable<Shape>;
  close(): Promise<void>;
}

export interface Databases {
  version: string;
  /** Of the services that have one. */
  names(): Promise<string[]>;
  openSnapshot(): Promise<Snapshot>;
  create(shape: CollectionShape): Promise<void>;
  insert(into: CollectionName, documents: Uint8Array[]): Promise<void>;
  drop(service: string): Promise<void>;
  /** Is there such a document now? */
  has(of: CollectionName, filter: Document): Promise<boolean>;
  /**
   * Keeps the history that a snapshot reads for as long as `work` takes, if this user may set that.
   */
  withLongHistory<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * MongoDB keeps the history that a snapshot reads for five minutes, unless it is told otherwise.
 */
const historySeconds = 24 * 60 * 60;
const historyParameter = 'minSnapshotHistoryWindowInSeconds';
const rehearsalsMax = 5;
const snapshotTooOld = 239;
const snapshotUnavailable = 246;

/**
 * Opens the databases `<prefix>_<service>` of an installation. Nothing in here knows the contents
 * of a service's database.
 */
export async function openDatabases({
  uri,
  prefix,
}: {
  uri: string;
  prefix: string;
}): Promise<Databases> {
  const client = createMongoClient(uri, {
    serverSelectionTimeoutMS: 5000,
    readPreference: 'primary',
    writeConcern: { w: 'majority', journal: true },
  });
  const admin = client.db('admin');
  const databaseOf = (service: string) => client.db(`${prefix}_${service}`);
  const { version } = await admin.command({ buildInfo: 1 }).catch(async (error: Error) => {
    await client.close();
    throw new Error(`MONGODB_URI: the MongoDB there cannot be used (${error.message}).`);
  });

  async function names(): Promise<string[]> {
    const { databases } = await admin.admin().listDatabases({ nameOnly: true });
    return databases
      .filter(({ name }) => name.startsWith(`${prefix}_`))
      .map(({ name }) => name.slice(prefix.length + 1))
      .sort();
  }

  async function shapes(): Promise<CollectionShape[]> {
    const found: CollectionShape[] = [];
    for (const service of await names()) {
      for (const { name: collection, options = {} } of await databaseOf(service)
        .listCollections<CollectionInfo>({ type: 'collection' })
        .toArray()) {
        const indexes = await databaseOf(service).collection(collection).indexes();
        found.push({
          service,
          collection,
          options,
          indexes: indexes.filter(({ name }) => name !== '_id_').map(withoutVersion),
        });
      }
    }
    return found.sort((left, right) => (pathOf(left) < pathOf(right) ? -1 : 1));
  }

  function read(
    session: ClientSession,
    { service, collection }: CollectionName,
    filter: Document = {},
  ) {
    return databaseOf(service)
      .collection(collection)
      .find(filter, { raw: true, session })
      .sort({ _id: 1 }) as unknown as AsyncIterable<Uint8Array>;
  }

  /**
   * The session's first read chooses the moment; a collection that came up meanwhile could not be
   * read at it.
   */
  async function openSnapshot(): Promise<Snapshot> {
    for (let rehearsal = 1; ; rehearsal++) {
      const collections = await shapes();
      const session = client.startSession({ snapshot: true });
      for (const any of collections.slice(0, 1))
        for await (const _ of read(session, any, { _id: null })) break;
      if (JSON.stringify(await shapes()) === JSON.stringify(collections))
        return {
          collections,
          documents: (of) => told(read(session, of)),
          values: <Shape extends Document>(of: CollectionName) =>
            decoded<Shape>(told(read(session, of))),
          close: () => session.endSession(),
        };
      await session.endSession();
      if (rehearsal === rehearsalsMax)
        throw new Error(
          'Collections and indexes are being made at the moment: begin the backup again.',
        );
    }
  }

  async function withLongHistory<Result>(work: () => Promise<Result>): Promise<Result> {
    const former = await admin
      .command({ getParameter: 1, [historyParameter]: 1 })
      .catch(unlessRefused);
    const set = (seconds: number) =>
      admin.command({ setParameter: 1, [historyParameter]: seconds }).catch(unlessRefused);
    if (
      former === undefined ||
      former[historyParameter] >= historySeconds ||
      (await set(historySeconds)) === undefined
    )
      return work();
    try {
      return await work();
    } finally {
      await set(former[historyParameter]);
    }
  }

  return {
    version,
    names,
    openSnapshot,
    async create({ service, collection, options, indexes }) {
      const created = await databaseOf(service).createCollection(
        collection,
        options as CreateCollectionOptions,
      );
      if (indexes.length > 0) await created.createIndexes(indexes as IndexDescription[]);
    },
    async insert({ service, collection }, documents) {
      const kept = documents.map((bytes) => BSON.deserialize(bytes, asKept));
      await databaseOf(service).collection(collection).insertMany(kept, { ordered: false });
    },
    drop: async (service) => void (await databaseOf(service).dropDatabase()),
    has: async ({ service, collection }, filter) =>
      (await databaseOf(service).collection(collection).findOne(filter)) !== null,
    withLongHistory,
    close: () => client.close(),
  };
}

/** A number is written as the type that it was read as. */
const asKept = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const;

const pathOf = ({ service, collection }: CollectionName): string => `${service}/${collection}`;

const withoutVersion = ({ v: _version, ...index }: Document): Document => index;

/** A user without the right, or a router of shards, which has no such parameter. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof MongoServerError)) throw error;
}

async function* told(documents: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* documents;
  } catch (error) {
    throw error instanceof MongoError ? new Error(sentenceOf(error), { cause: error }) : error;
  }
}

async function* decoded<Shape>(documents: AsyncIterable<Uint8Array>): AsyncGenerator<Shape> {
  for await (const document of documents) yield BSON.deserialize(document) as Shape;
}

function sentenceOf(error: MongoError): string {
  if (error.code === snapshotTooOld)
    return `MongoDB no longer has the moment of this backup: set its parameter ${historyParameter} to longer than the backup takes, or give its user the role hostManager.`;
  if (error.code === snapshotUnavailable)
    return 'Collections or indexes were made during the backup: begin it again.';
  return `MongoDB ended the backup (${error.message}): begin it again.`;
}
