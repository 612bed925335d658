import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';

/** Does this error say that another transaction under way has written the same thing? */
export const isConflict = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 112;

/** Does this error say that a unique key is taken? */
export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 11000;

/**
 * Which of the documents of an insertMany met a unique key that is taken; undefined when it was
 * something else.
 */
export const duplicateAt = (error: unknown): number | undefined =>
  error instanceof MongoBulkWriteError && error.code === 11000
    ? [error.writeErrors].flat()[0]?.index
    : undefined;

/** Did the database end a read because it took too long? */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 50;

/**
 * NotWritablePrimary, InterruptedAtShutdown and their like: the server is there, but cannot serve
 * at this moment.
 */
const awayCodes = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/**
 * The labels that the driver and the server give to errors of a server that fails over, restarts or
 * is overloaded.
 */
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
  (error instanceof MongoError &&
    !isConflict(error) &&
    awayLabels.some((label) => error.hasErrorLabel(label))) ||
  isSocketGone(error) ||
  // A bulk write wraps the error that kept it from the server.
  (error instanceof MongoBulkWriteError && isDatabaseAway(error.errorResponse)) ||
  (error instanceof MongoServerError && awayCodes.has(Number(error.code)));

/**
 * The driver lets the socket's own error through where the connection ended while it waited to
 * write.
 */
const isSocketGone = (error: unknown): boolean =>
  error instanceof Error &&
  ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '');
