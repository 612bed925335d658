import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import {
  type AggregationCursor,
  type ClientSession,
  type Collection,
  type Document,
  type Filter,
  type FindCursor,
  type Hint,
  MongoBulkWriteError,
  MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  type TransactionOptions,
} from 'mongodb';
import { ConfigurationError } from './config.ts';
import { createFairSemaphore, type FairSemaphore } from './fair-semaphore.ts';
import { type Attempt, faultOf, type Hello } from './mongo-fault.ts';
import { organizationContext } from './organization-context.ts';
import { createShardNumbers } from './shard-numbers.ts';

/**
 * An acknowledged write is on a majority and in the journal, and every later read sees it. A transaction reads one state of the database, the
 * latest. With read concern "snapshot" that state is older while an earlier write is still committing, so that a transaction would not find
 * what the read before it has found.
 */
const durable: TransactionOptions = {
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
};

/** The time for which a transaction is retried while others hold documents that it needs, or the database is away, in ms. */
const retryMaxMs = 10_000;

/** Reads that take longer are ended by the database: nobody waits for them any more. */
const readMaxMs = 10_000;
/** Reads of many documents under way at once: of all organizations, fewer than the driver has connections; and of one. */
const readsMax = 24;
const readsEach = { permitsEach: 4, permitsBesideOthers: 2 };

/** One service's database. */
export interface Database {
  /**
   * Returns a collection whose every call joins the current transaction. Outside of transactions, an organization's reads of many documents
   * are bounded, in time and in the number that it has in progress; unless the request writes, they end when its client disconnects.
   */
  collection<Shape extends Document>(name: string): Collection<Shape>;
  /**
   * Does `work` whole or not at all. Every call on a collection inside joins by itself; a transaction inside another is part of it.
   * `work` may run more than once: it is retried while another transaction holds documents that it needs, for up to `conflictWaitMs`.
   * @throws SERVICE_UNAVAILABLE with a cause that `isConflict` if they are still held then.
   */
  transaction<Result>(work: () => Promise<Result>, options?: { conflictWaitMs?: number }): Promise<Result>;
  /** Calls `listener` after the commit of the transaction under way, or at once where there is none. */
  afterCommit(listener: () => void): void;
  /** True inside `transaction`. */
  isInTransaction(): boolean;
  /**
   * A small number that no other transaction under way in this process has, so that transactions that write a document of their
   * shard do not conflict. 0 outside of transactions.
   */
  counterShard(): number;
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface Transaction {
  session: ClientSession;
  shard: number;
  committed: (() => void)[];
}

/**
 * Opens a service's database. Commands fail as "away" after 3 s without a server; the driver comes back by itself.
 * @throws ConfigurationError with a sentence about MONGODB_URI where no server of use is found at once.
 */
export async function openDatabase({ uri, name }: { uri: string; name: string }): Promise<Database> {
  const client = createClient(uri);
  await checkServer(client, name);
  const database = client.db(name);
  const transactions = new AsyncLocalStorage<Transaction>();
  const shardNumbers = createShardNumbers();
  const withReadPermit = createFairSemaphore({ permits: readsMax, ...readsEach });

  return {
    collection: <Shape extends Document>(collection: string) =>
      joining(database.collection<Shape>(collection), { transactions, withReadPermit }),
    transaction: (work, { conflictWaitMs = retryMaxMs } = {}) =>
      transactions.getStore()
        ? work()
        : shardNumbers.take((shard) => runTransaction({ client, transactions, shard, conflictWaitMs }, work)),
    afterCommit: (listener) => {
      const transaction = transactions.getStore();
      if (transaction) transaction.committed.push(listener);
      else listener();
    },
    isInTransaction: () => transactions.getStore() !== undefined,
    counterShard: () => transactions.getStore()?.shard ?? 0,
    ping: async () => {
      await database.command({ ping: 1 });
    },
    close: () => client.close(),
  };
}

function createClient(uri: string): MongoClient {
  try {
    return new MongoClient(uri, {
      serverSelectionTimeoutMS: 3000,
      connectTimeoutMS: 3000,
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
    throw new ConfigurationError(`MONGODB_URI cannot be read (${(error as Error).message}): correct it.`, { cause: error });
  }
}

/** Finds out whether transactions can be had, and whether this user may read: both are needed for the first migration. */
async function checkServer(client: MongoClient, name: string): Promise<void> {
  const { hosts, srvHost, replicaSet, credentials, tls } = client.options;
  const addresses = srvHost === undefined ? hosts.map(String) : [srvHost];
  const attempt: Attempt = { addresses, setName: replicaSet, user: credentials?.username, usesTls: tls, hellos: new Map() };
  client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => attempt.hellos.set(connectionId, reply));
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

interface Run {
  client: MongoClient;
  transactions: AsyncLocalStorage<Transaction>;
  shard: number;
  conflictWaitMs: number;
}

async function runTransaction<Result>({ client, transactions, shard, conflictWaitMs }: Run, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    const transaction: Transaction = { session: client.startSession(), shard, committed: [] };
    try {
      transaction.session.startTransaction(durable);
      const result = await transactions.run(transaction, work);
      await commit(transaction.session, startedAt + retryMaxMs);
      for (const listener of transaction.committed) listener();
      return result;
    } catch (error) {
      await abort(transaction.session);
      if (!hasLabel(error, 'TransientTransactionError')) throw error;
      const waited = performance.now() - startedAt;
      if (isConflict(error) && waited > conflictWaitMs) throw unavailable('Others are changing the same thing at the moment.', error);
      if (waited > retryMaxMs) throw error;
      await backOff(attempt);
    } finally {
      await transaction.session.endSession();
    }
  }
}

async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!hasLabel(error, 'UnknownTransactionCommitResult') || performance.now() > deadline) throw error;
    }
  }
}

async function abort(session: ClientSession): Promise<void> {
  if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
}

const backOff = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(100, 5 * 2 ** Math.min(attempt, 5))));

const hasLabel = (error: unknown, label: string): boolean => error instanceof MongoError && error.hasErrorLabel(label);

/** Where each method takes its options, so that the session can be put in. */
const optionsPosition: Record<string, number> = {
  aggregate: 1,
  bulkWrite: 1,
  countDocuments: 1,
  deleteMany: 1,
  deleteOne: 1,
  distinct: 2,
  find: 1,
  findOne: 1,
  findOneAndDelete: 1,
  findOneAndReplace: 2,
  findOneAndUpdate: 2,
  insertMany: 1,
  insertOne: 1,
  replaceOne: 2,
  updateMany: 2,
  updateOne: 2,
};

/** Reads of many documents. A single one is found by its key, and costs nobody anything. */
const cursorMethods = new Set(['aggregate', 'find']);
const countMethods = new Set(['countDocuments', 'distinct']);

interface Joined {
  transactions: AsyncLocalStorage<Transaction>;
  withReadPermit: FairSemaphore;
}

function joining<Shape extends Document>(collection: Collection<Shape>, { transactions, withReadPermit }: Joined): Collection<Shape> {
  return new Proxy(collection, {
    get(target, key) {
      const member = Reflect.get(target, key) as unknown;
      if (typeof member !== 'function') return member;
      const position = optionsPosition[String(key)];
      if (position === undefined) return member.bind(target);
      return (...given: unknown[]) => {
        const session = transactions.getStore()?.session;
        if (session) given[position] = { ...(given[position] as object | undefined), session };
        const call = () => (member as (...given: unknown[]) => unknown).apply(target, given);
        const context = session ? undefined : organizationContext();
        if (!context || !(cursorMethods.has(String(key)) || countMethods.has(String(key)))) return call();
        const signal = context.writes ? undefined : context.signal;
        const isCount = countMethods.has(String(key));
        const options: { maxTimeMS?: number; signal?: AbortSignal } = {
          ...(given[position] as object | undefined),
          ...(signal ? { signal } : {}),
        };
        given[position] = isCount ? { maxTimeMS: readMaxMs, ...options } : options;
        const bounded = <Result>(read: () => Promise<Result>) => withReadPermit(context.organizationId, read, { signal });
        if (isCount) return bounded(call as () => Promise<unknown>);
        const cursor = call() as FindCursor | AggregationCursor;
        // Not of a cursor that is gone through by hand: the database adds up its batches, and a run of a million has many.
        const inTurn = <Result>(read: () => Promise<Result>) =>
          bounded(() => {
            cursor.maxTimeMS(options.maxTimeMS ?? readMaxMs);
            return read();
          });
        const toArray = cursor.toArray.bind(cursor);
        // A caller that iterates by hand may start other reads in between: only calls that start no other read wait for a permit.
        return Object.assign(cursor, { toArray: () => inTurn(toArray), inTurn });
      };
    },
  });
}

/**
 * A page of a collection in the order of its ids: oldest first, or newest first. The filter must lead an index that ends in `_id`; `hint` names
 * it where the database could remember another one, which was good for another filter.
 */
export async function findPage<Shape extends Document & { _id: string }, Item>(
  collection: Collection<Shape>,
  {
    filter,
    page,
    order = 'oldest first',
    projection,
    hint,
    toItem,
  }: {
    filter: Filter<Shape>;
    page: PageRequest;
    order?: 'oldest first' | 'newest first';
    projection?: Document;
    hint?: Hint;
    toItem: (document: Shape) => Item;
  },
): Promise<Page<Item>> {
  const [operator, direction] = order === 'oldest first' ? (['$gt', 1] as const) : (['$lt', -1] as const);
  const from = page.after === undefined ? filter : ({ $and: [filter, { _id: { [operator]: page.after } }] } as Filter<Shape>);
  const documents = (await collection
    .find(from, { ...(projection ? { projection } : {}), ...(hint ? { hint } : {}) })
    .sort({ _id: direction })
    .limit(page.limit + 1)
    .toArray()) as unknown as Shape[];
  const items = documents.slice(0, page.limit);
  return { items: items.map(toItem), next: documents.length > page.limit ? items.at(-1)!._id : null };
}

/** Does this error say that another transaction under way has written the same thing? */
export const isConflict = (error: unknown): boolean => error instanceof MongoServerError && error.code === 112;

/** Does this error say that a unique key is taken? */
export const isDuplicateKey = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11000;

/** Which of the documents of an insertMany met a unique key that is taken; undefined when it was something else. */
export const duplicateAt = (error: unknown): number | undefined =>
  error instanceof MongoBulkWriteError && error.code === 11000 ? [error.writeErrors].flat()[0]?.index : undefined;

/** Did the database end a read because it took too long? */
export const isTooSlow = (error: unknown): boolean => error instanceof MongoServerError && error.code === 50;

/** NotWritablePrimary, InterruptedAtShutdown and their like: the server is there, but cannot serve at this moment. */
const awayCodes = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** The labels that the driver and the server give to errors of a server that fails over, restarts or is overloaded. */
const awayLabels = [
  'RetryableWriteError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
  'ResetPool',
  'SystemOverloadedError',
];

/** True if the database is out of reach, rather than refusing the request. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof MongoServerSelectionError ||
  error instanceof MongoNetworkError ||
  error instanceof MongoTopologyClosedError ||
  (error instanceof MongoError && error.name === 'MongoWaitQueueTimeoutError') ||
  (error instanceof MongoError && !isConflict(error) && awayLabels.some((label) => error.hasErrorLabel(label))) ||
  isSocketGone(error) ||
  // A bulk write wraps the error that kept it from the server.
  (error instanceof MongoBulkWriteError && isDatabaseAway(error.errorResponse)) ||
  (error instanceof MongoServerError && awayCodes.has(Number(error.code)));

/** The driver lets the socket's own error through where the connection ended while it waited to write. */
const isSocketGone = (error: unknown): boolean =>
  error instanceof Error && ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '');
