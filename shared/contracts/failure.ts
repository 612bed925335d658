/**
 * The HTTP status of each failure code: the one map between the two (contract section 1, Errors).
 */
export const statusOfFailure = {
  VALIDATION_ERROR: 400,
  MALFORMED_JSON: 400,
  // Those of a device login, with the names and the status of RFC 8628, section 3.5.
  AUTHORIZATION_PENDING: 400,
  SLOW_DOWN: 400,
  ACCESS_DENIED: 400,
  EXPIRED_TOKEN: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type FailureCode = keyof typeof statusOfFailure;

/**
 * One thing that is wrong with a request. `path` is a JSON Pointer into the body, `?name` for a
 * query or `:name` for a path parameter.
 */
export interface Issue {
  path: string;
  message: string;
  /** Counted from 1; for templates and code. */
  line?: number;
  column?: number;
}

interface FailureOptions {
  details?: Record<string, unknown>;
  /** Seconds after which a repeat may succeed; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** For the log only, never for the client. */
  cause?: unknown;
}

/** The form in which a thrown Failure travels between processes. */
export interface FailureOnTheWire {
  code: FailureCode;
  message: string;
  details: Record<string, unknown>;
  retryAfterSeconds?: number;
}

/**
 * The one way to fail. `message` and `details` are for the client; `cause` is for the log. Anything
 * else that is thrown is an INTERNAL_ERROR, of which a client learns nothing but the request id.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return statusOfFailure[this.code];
  }

  toWire(): FailureOnTheWire {
    return {
      code: this.code,
      message: this.message,
      details: this.details,
      ...(this.retryAfterSeconds === undefined
        ? {}
        : { retryAfterSeconds: this.retryAfterSeconds }),
    };
  }

  static fromWire({ code, message, ...options }: FailureOnTheWire): Failure {
    return new Failure(code in statusOfFailure ? code : 'INTERNAL_ERROR', message, options);
  }
}

/**
 * A resource that is not there, or that belongs to another organization: the two are told apart
 * nowhere.
 */
export const notFound = (resource: string, id: string): Failure =>
  new Failure('NOT_FOUND', `There is no ${resource} with this id.`, { details: { resource, id } });

/** A request that breaks a rule at one or more places. */
export const invalid = (issues: Issue[]): Failure =>
  new Failure('VALIDATION_ERROR', summarize(issues), { details: { issues } });

/** The same for a single place. */
export const invalidAt = (path: string, message: string): Failure => invalid([{ path, message }]);

export const conflict = (message: string, options: FailureOptions = {}): Failure =>
  new Failure('CONFLICT', message, options);

export const unavailable = (message: string, cause?: unknown): Failure =>
  new Failure('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1, cause });

/** Where a service gave no whole reply, or none that could be believed; `cause` tells the operator why. */
export const unanswered = (cause: unknown): Failure =>
  unavailable('A part of the service does not answer at the moment.', cause);

/** Every request of an organization that the operator has suspended. */
export const organizationSuspended = (): Failure =>
  new Failure(
    'FORBIDDEN',
    'This organization is suspended: its data is kept, and it is served again when the operator of this installation resumes it.',
  );

/** The first problem as a sentence, and how many more there are. */
function summarize(issues: Issue[]): string {
  const first = describe(issues[0]!);
  const more = issues.length - 1;
  return more === 0
    ? first
    : `${first.replace(/\.$/, '')} (and ${more} more problem${more === 1 ? '' : 's'}).`;
}

const describe = ({ path, message }: Issue): string =>
  (path === '' ? `The body ${message}.` : `${path} ${message}.`).replace(/\.\.$/, '.');
