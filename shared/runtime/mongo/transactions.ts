import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable } from '@assay/contracts/failure';
import { type ClientSession, type MongoClient, MongoError, type TransactionOptions } from 'mongodb';
import { isConflict } from './errors.ts';

/**
 * An acknowledged write is on a majority and in the journal, and every later read sees it. A
 * transaction reads one state of the database, the latest. With read concern "snapshot" that state
 * is older while an earlier write is still committing, so that a transaction would not find what
 * the read before it has found.
 */
const durable: TransactionOptions = {
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
};

/**
 * The time for which a transaction is retried while others hold documents that it needs, or the
 * database is away, in ms.
 */
export const retryMaxMs = 10_000;

/** A transaction under way. */
export interface Transaction {
  client: MongoClient;
  session: ClientSession;
  shard: number;
  committed: (() => void)[];
  /** A transaction of another database, inside of which this one is. */
  outer: Transaction | undefined;
}

/**
 * The transactions of all databases of the process. Node hands each storage that was ever used to
 * every promise: one for each database would slow all code down with each database that is opened.
 */
const transactions = new AsyncLocalStorage<Transaction>();

/** The transaction under way over this client's connections. */
export function transactionOf(client: MongoClient): Transaction | undefined {
  let transaction = transactions.getStore();
  while (transaction && transaction.client !== client) transaction = transaction.outer;
  return transaction;
}

interface Run {
  client: MongoClient;
  shard: number;
  conflictWaitMs: number;
}

/**
 * Runs work in a transaction, again while others hold documents that it needs, and waits until its
 * commit is durable.
 */
export async function runTransaction<Result>(
  { client, shard, conflictWaitMs }: Run,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    const transaction: Transaction = {
      client,
      session: client.startSession(),
      shard,
      committed: [],
      outer: transactions.getStore(),
    };
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
      if (isConflict(error) && waited > conflictWaitMs)
        throw unavailable('Others are changing the same thing at the moment.', error);
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
      if (!hasLabel(error, 'UnknownTransactionCommitResult') || performance.now() > deadline)
        throw error;
    }
  }
}

async function abort(session: ClientSession): Promise<void> {
  if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
}

const backOff = (attempt: number): Promise<void> =>
  new Promise((resolve) =>
    setTimeout(resolve, Math.random() * Math.min(100, 5 * 2 ** Math.min(attempt, 5))),
  );

const hasLabel = (error: unknown, label: string): boolean =>
  error instanceof MongoError && error.hasErrorLabel(label);
