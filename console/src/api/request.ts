import type { BodyOf, Method, PathOf, ReplyOf } from '@assay/client/operations';
import { type PathOptions, pathOf } from '@assay/client/path';
import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { sessionHeaders } from './console-secret.ts';
import { publicPath } from './public-path.ts';
import { sessionBegan, signedInAgain } from './renewal.ts';

/** A refusal of the API (contract section 1, Errors), or `NETWORK` where no answer came. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: { issues?: Issue[]; [name: string]: unknown };
  readonly requestId: string | null;
  /** How long the service asks to wait, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    { code, message, details = {} }: FailureBody,
    { status = 0, headers = new Headers() }: { status?: number; headers?: Headers } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = headers.get('x-request-id');
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  }
}

interface FailureBody {
  code: string;
  message: string;
  details?: ApiError['details'];
}

/** A fault of a request, and its place. Line and column count from 1. */
export interface Issue {
  path: string;
  message: string;
  line?: number;
  column?: number;
}

export interface RequestOptions<Wanted extends Method, Path extends string>
  extends PathOptions<Wanted, Path> {
  body?: BodyOf<Wanted, Path>;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** Returns the URL of an operation. */
export const urlOf = (path: string, options?: Parameters<typeof pathOf>[1]): string =>
  `${publicPath}/v2${pathOf(path, options)}`;

/**
 * Asks the API for an operation, by the cookie of this browser's session.
 * @throws ApiError
 */
export async function request<Wanted extends Method, Path extends PathOf<Wanted>>(
  method: Wanted,
  path: Path,
  { params, query, body, signal, headers = {} }: RequestOptions<Wanted, Path> = {},
): Promise<ReplyOf<Wanted, Path>> {
  const response = await send(urlOf(path, { params, query }), {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: writeJson(body) }),
    ...(signal ? { signal } : {}),
  });
  return (
    response.status === 204 ? undefined : parseByValue(await response.text().catch(connectionFault))
  ) as ReplyOf<Wanted, Path>;
}

/**
 * Sends a request whose body or reply is no JSON, such as a file. Where the session has ended, it
 * waits until the person has signed in again.
 * @throws ApiError
 */
export async function send(
  url: string,
  init: RequestInit = {},
  { isSignIn = false } = {},
): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    // Together with the cookie, which other sites cannot send, a secret that they do not know.
    headers: { ...sessionHeaders(), ...init.headers },
    credentials: 'same-origin',
  }).catch(connectionFault);
  if (response.ok) {
    if (!isSignIn) sessionBegan();
    return response;
  }
  const renewed = response.status === 401 && !isSignIn ? signedInAgain() : undefined;
  if (!renewed) throw new ApiError(await failureIn(response), response);
  await renewed;
  return send(url, init);
}

/**
 * Turns the end of a connection, before or in a reply, into a fault that passes. Fetch rejects with a
 * TypeError for it, and with other errors for a request that was ended or a reply that is no JSON.
 * @throws ApiError `NETWORK`, or the error itself
 */
export function connectionFault(error: unknown): never {
  if (!(error instanceof TypeError)) throw error;
  throw new ApiError({
    code: 'NETWORK',
    message: 'The server could not be reached. Check that it runs, and your connection to it.',
  });
}

async function failureIn(response: Response): Promise<FailureBody> {
  try {
    const { code, message, details } = await response.json();
    if (typeof code === 'string' && typeof message === 'string')
      return { code, message, ...(typeof details === 'object' ? { details } : {}) };
  } catch {
    // Told below: something between this page and the gateway answered in its place.
  }
  return {
    code: `HTTP_${response.status}`,
    message: `The server answered ${response.status} ${response.statusText}, without a reason.`,
  };
}
