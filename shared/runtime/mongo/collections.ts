import type { AggregationCursor, Collection, Document, FindCursor } from 'mongodb';
import { inSlices } from '../concurrency/event-loop.ts';
import type { FairSemaphore } from '../concurrency/fair-semaphore.ts';
import { organizationContext } from '../concurrency/organization-context.ts';
import type { Transaction } from './transactions.ts';

/** Reads that take longer are ended by the database: nobody waits for them any more. */
const readMaxMs = 10_000;
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
const writeMethods = new Set(['bulkWrite', 'deleteMany', 'insertMany', 'updateMany']);
const countMethods = new Set(['countDocuments', 'distinct']);

type Cursor = FindCursor | AggregationCursor;

/** The documents of a batch are there at once: the event loop turns between them. */
function goneThroughInSlices(cursor: Cursor): Cursor {
  const iterate = cursor[Symbol.asyncIterator].bind(cursor);
  return Object.assign(cursor, {
    [Symbol.asyncIterator]: () => inSlices({ [Symbol.asyncIterator]: iterate }),
  });
}

interface CollectionContext {
  /** The transaction under way. */
  transaction: () => Transaction | undefined;
  withReadPermit: FairSemaphore;
  /** Gives writes of many documents their turn. */
  inTurn: <Result>(write: () => Promise<Result>) => Promise<Result>;
}

/**
 * Returns the collection with calls that join the current transaction, and bounded reads outside of
 * one.
 */
export function joining<Shape extends Document>(
  collection: Collection<Shape>,
  { transaction, withReadPermit, inTurn }: CollectionContext,
): Collection<Shape> {
  return new Proxy(collection, {
    get(target, key) {
      const member = Reflect.get(target, key) as unknown;
      if (typeof member !== 'function') return member;
      const position = optionsPosition[String(key)];
      if (position === undefined) return member.bind(target);
      return (...given: unknown[]) => {
        const session = transaction()?.session;
        if (session) given[position] = { ...(given[position] as object | undefined), session };
        const call = () => (member as (...given: unknown[]) => unknown).apply(target, given);
        if (!session && writeMethods.has(String(key)))
          return inTurn(call as () => Promise<unknown>);
        const context = session ? undefined : organizationContext();
        const isCursor = cursorMethods.has(String(key));
        if (!context || !(isCursor || countMethods.has(String(key))))
          return isCursor ? goneThroughInSlices(call() as Cursor) : call();
        const signal = context.writes ? undefined : context.signal;
        const isCount = countMethods.has(String(key));
        const options: { maxTimeMS?: number; signal?: AbortSignal } = {
          ...(given[position] as object | undefined),
          ...(signal ? { signal } : {}),
        };
        given[position] = isCount ? { maxTimeMS: readMaxMs, ...options } : options;
        const bounded = <Result>(read: () => Promise<Result>) =>
          withReadPermit(context.organizationId, read, { signal });
        if (isCount) return bounded(call as () => Promise<unknown>);
        const cursor = goneThroughInSlices(call() as Cursor);
        // Not of a cursor that is gone through by hand: the database adds up its batches, and a run
        // of a million has many.
        const readInTurn = <Result>(read: () => Promise<Result>) =>
          bounded(() => {
            cursor.maxTimeMS(options.maxTimeMS ?? readMaxMs);
            return read();
          });
        const toArray = cursor.toArray.bind(cursor);
        // A caller that iterates by hand may start other reads in between: only calls that start no
        // other read wait for a permit.
        return Object.assign(cursor, { toArray: () => readInTurn(toArray), inTurn: readInTurn });
      };
    },
  });
}
