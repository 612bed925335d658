import type { MongoBulkWriteError, MongoError } from 'mongodb';

/**
 * True if the error is an instance of the driver's class of this name, or of a subclass. Names are
 * compared, because a process without a database would load the driver, half of its memory, only to
 * tell errors apart.
 */
function isOf(error: unknown, className: string): error is MongoError {
  if (!(error instanceof Error)) return false;
  let prototype = Object.getPrototypeOf(error);
  while (prototype !== null && prototype.constructor.name !== className)
    prototype = Object.getPrototypeOf(prototype);
  return prototype !== null;
}

const isServerError = (error: unknown): error is MongoError => isOf(error, 'MongoServerError');
const isBulkWriteError = (error: unknown): error is MongoBulkWriteError =>
  isOf(error, 'MongoBulkWriteError');

/** Does this error say that another transaction under way has written the same thing? */
export const isConflict = (error: unknown): boolean => isServerError(error) && error.code === 112;

/** Does this error say that a unique key is taken? */
export const isDuplicateKey = (error: unknown): boolean =>
  isServerError(error) && error.code === 11000;

/**
 * Which of the documents of an insertMany met a unique key that is taken; undefined when it was
 * something else.
 */
export const duplicateAt = (error: unknown): number | undefined =>
  isBulkWriteError(error) && error.code === 11000
    ? [error.writeErrors].flat()[0]?.index
    : undefined;

/** True if the user lacks a right. */
export const isUnauthorized = (error: unknown): boolean =>
  isServerError(error) && error.code === 13;

/** Did the database end a read because it took too long? */
export const isTooSlow = (error: unknown): boolean => isServerError(error) && error.code === 50;

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
  isOf(error, 'MongoServerSelectionError') ||
  isOf(error, 'MongoNetworkError') ||
  isOf(error, 'MongoTopologyClosedError') ||
  isOf(error, 'WaitQueueTimeoutError') ||
  (isOf(error, 'MongoError') &&
    !isConflict(error) &&
    awayLabels.some((label) => error.hasErrorLabel(label))) ||
  isSocketGone(error) ||
  // A bulk write wraps the error that kept it from the server.
  (isBulkWriteError(error) && isDatabaseAway(error.errorResponse)) ||
  (isServerError(error) && awayCodes.has(Number(error.code)));

/**
 * The driver lets the socket's own error through where the connection ended while it waited to
 * write.
 */
const isSocketGone = (error: unknown): boolean =>
  error instanceof Error &&
  ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '');
