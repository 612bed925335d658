import type { Collection, Document, MongoClient } from 'mongodb';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { askersOfProcess, organizationContext } from '../concurrency/organization-context.ts';
import { ConfigurationError } from '../config.ts';
import type { Credentials } from '../keys.ts';
import { createMongoClient } from './client.ts';
import { joining } from './collections.ts';
import { type Attempt, faultOf, type Hello } from './fault.ts';
import { createShardNumbers } from './shard-numbers.ts';
import { retryMaxMs, runTransaction, transactionOf } from './transactions.ts';

/**
 * Reads of many documents under way at once: of all organizations, fewer than the driver has
 * connections; and of one.
 */
const readsMax = 24;
const readsEach = { permitsEach: 4, permitsBesideOthers: 2 };
/**
 * The same for transactions, and for writes of many documents outside of one. A turn ends after two
 * seconds, since a transaction may wait for what another service writes for the same organization.
 */
const writes = { permits: 24, permitsEach: 16, permitsBesideOthers: 4, turnMaxMs: 2000 };
/** To write many documents keeps the database as long as several small transactions. */
const permitsOfMany = 4;
const many = 25;

/** One service's database. */
export interface Database {
  /**
   * Returns a collection whose every call joins the current transaction. Outside of transactions,
   * an organization's reads of many documents are bounded, in time and in the number that it has in
   * progress; unless the request writes, they end when its client disconnects. Its writes of many
   * are bounded in their number.
   */
  collection<Shape extends Document>(name: string): Collection<Shape>;
  /** Makes a collection whose blocks are compressed by zstd, unless it is there. */
  createCompressed(name: string): Promise<void>;
  /**
   * Does `work` whole or not at all. Every call on a collection inside joins by itself; a
   * transaction inside another is part of it. `work` may run more than once: it is retried while
   * another transaction holds documents that it needs, for up to `conflictWaitMs`. One that may
   * write many `documents` says how many, since an organization has few such under way.
   * @throws SERVICE_UNAVAILABLE with a cause that `isConflict` if they are still held then.
   */
  transaction<Result>(
    work: () => Promise<Result>,
    options?: { conflictWaitMs?: number; documents?: number },
  ): Promise<Result>;
  /**
   * Calls `listener` after the commit of the transaction under way, or at once where there is none.
   */
  afterCommit(listener: () => void): void;
  /** True inside `transaction`. */
  isInTransaction(): boolean;
  /**
   * A small number that no other transaction under way in this process has, so that transactions
   * that write a document of their shard do not conflict. 0 outside of transactions.
   */
  counterShard(): number;
  /** Commands of this process that wait for a connection at this moment. */
  waitingForConnection(): number;
  /** Returns the names of all collections, those of the server's own left out. */
  collectionNames(): Promise<string[]>;
  ping(): Promise<void>;
  /** Returns the bytes that are free on the server's disk; undefined where it does not tell. */
  freeBytes(): Promise<number | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a service's database. Commands fail as "away" after 3 s without a server; the driver comes
 * back by itself.
 * @throws ConfigurationError with a sentence about MONGODB_URI where no server of use is found at
 * once.
 */
export async function openDatabase({
  uri,
  name,
  user,
}: {
  uri: string;
  name: string;
  /** Who opens it, unless the URI says so. */
  user?: Credentials | undefined;
}): Promise<Database> {
  const client = clientOf(withUser(uri, user));
  const waitingForConnection = countWaiting(client);
  await checkServer(client, name);
  const database = client.db(name);
  const transaction = () => transactionOf(client);
  const shardNumbers = createShardNumbers();
  const withReadPermit = createFairSemaphore({
    permits: readsMax,
    ...readsEach,
    askers: askersOfProcess,
  });
  const withWritePermit = createFairSemaphore({ ...writes, askers: askersOfProcess });
  const inTurn = <Result>(work: () => Promise<Result>, permits: number): Promise<Result> => {
    const context = organizationContext();
    return context ? withWritePermit(context.organizationId, work, { permits }) : work();
  };
  const manyInTurn = <Result>(write: () => Promise<Result>): Promise<Result> =>
    inTurn(write, permitsOfMany);

  return {
    collection: <Shape extends Document>(collection: string) =>
      joining(database.collection<Shape>(collection), {
        transaction,
        withReadPermit,
        inTurn: manyInTurn,
      }),
    createCompressed: async (name) => {
      const isThere = await database.listCollections({ name }, { nameOnly: true }).hasNext();
      const storageEngine = { wiredTiger: { configString: 'block_compressor=zstd' } };
      if (!isThere) await database.createCollection(name, { storageEngine });
    },
    transaction: (work, { conflictWaitMs = retryMaxMs, documents = 1 } = {}) =>
      transaction()
        ? work()
        : inTurn(
            () =>
              shardNumbers.take((shard) => runTransaction({ client, shard, conflictWaitMs }, work)),
            documents < many ? 1 : permitsOfMany,
          ),
    afterCommit: (listener) => {
      const current = transaction();
      if (current) current.committed.push(listener);
      else listener();
    },
    isInTransaction: () => transaction() !== undefined,
    waitingForConnection,
    counterShard: () => transaction()?.shard ?? 0,
    collectionNames: async () => {
      const found = await database.listCollections({}, { nameOnly: true }).toArray();
      return found
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('system.'))
        .sort();
    },
    ping: async () => {
      await database.command({ ping: 1 });
    },
    freeBytes: async () => {
      // Of databases in a cloud that share their disk with others, these two are not there.
      const { fsTotalSize, fsUsedSize } = await database.command({ dbStats: 1 });
      return fsTotalSize === undefined ? undefined : fsTotalSize - fsUsedSize;
    },
    close: () => client.close(),
  };
}

/** A URI with this user, unless it names one. */
const withUser = (uri: string, user: Credentials | undefined): string =>
  user === undefined
    ? uri
    : uri.replace(
        /^(mongodb(?:\+srv)?:\/\/)(?![^/]*@)/,
        `$1${encodeURIComponent(user.user)}:${encodeURIComponent(user.password)}@`,
      );

function clientOf(uri: string): MongoClient {
  try {
    return createMongoClient(uri, {
      // Unless MONGODB_URI states its own.
      ...unstated(uri, { serverSelectionTimeoutMS: 3000, connectTimeoutMS: 3000 }),
      waitQueueTimeoutMS: 10_000,
      // No answer for this long is a fault, not a slow query: nothing waits for ever.
      socketTimeoutMS: 120_000,
      maxPoolSize: 40,
      minPoolSize: 1,
      retryWrites: true,
      writeConcern: { w: 'majority', journal: true },
      readConcern: { level: 'local' },
      ignoreUndefined: true,
      promoteBuffers: true,
    });
  } catch (error) {
    throw new ConfigurationError(
      `MONGODB_URI cannot be read (${(error as Error).message}): correct it.`,
      { cause: error },
    );
  }
}

function countWaiting(client: MongoClient): () => number {
  let waiting = 0;
  client.on('connectionCheckOutStarted', () => void waiting++);
  client.on('connectionCheckedOut', () => void waiting--);
  client.on('connectionCheckOutFailed', () => void waiting--);
  return () => waiting;
}

/** Returns the options that a connection string does not state itself. */
function unstated(uri: string, options: Record<string, number>): Record<string, number> {
  const isStated = (name: string) => new RegExp(`[?&]${name}=`, 'i').test(uri);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !isStated(name)));
}

/**
 * Finds out whether transactions can be had, and whether this user may read: both are needed for
 * the first migration.
 */
async function checkServer(client: MongoClient, name: string): Promise<void> {
  const { hosts, srvHost, replicaSet, credentials, tls } = client.options;
  const addresses = srvHost === undefined ? hosts.map(String) : [srvHost];
  const attempt: Attempt = {
    addresses,
    setName: replicaSet,
    user: credentials?.username,
    usesTls: tls,
    hellos: new Map(),
  };
  client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) =>
    attempt.hellos.set(connectionId, reply),
  );
  const fault = await faultOf(attempt, async () => {
    const hello = (await client.db('admin').command({ hello: 1 })) as Hello;
    await client
      .db(name)
      .collection('migrations')
      .findOne({}, { projection: { _id: 1 } });
    return hello;
  });
  if (fault === undefined) return;
  await client.close();
  throw new ConfigurationError(`MONGODB_URI: ${fault}.`);
}
