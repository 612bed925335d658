import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '@assay/contracts/failure';
import type { Caller, KeyOwner } from './keys.ts';
import type { RoutedOperation } from './routing.ts';

/** A request for an operation, once its caller is known to be allowed to make it. */
export interface Call {
  operation: RoutedOperation;
  caller: Caller;
  /**
   * The organization under which bodies and places are counted, or the client's address for a
   * signed URL.
   */
  shareId: string;
  /** The raw request target below the base path. */
  path: string;
}

/** The reply of a failure. */
export interface FailureMessage {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** One request with its reply, and the state of both. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** Headers of the reply, whatever it will be: names and values in turn. */
  headers: string[];
  /** The name of the operation that is asked for, whoever asks. */
  operation: string | undefined;
  /** Set once it is known who asks for which operation. */
  call: Call | undefined;
  /** Called with the status of a reply that began, when it is over. */
  measure: ((status: number) => void) | undefined;
  /** Called with the headers of a service's reply that may begin or end a browser session. */
  takeSession: ((headers: IncomingHttpHeaders) => void) | undefined;
  /** Set while a service works on the request: ends that, because the client went away. */
  abort: (() => void) | undefined;
  /** Set while the reply is a stream without an end of its own. */
  isEndless: boolean;
  /** Bytes of the request's body that count towards the bound on all held bodies. */
  heldBytes: number;
  /** Whose key it came with, once that is known. */
  owner: KeyOwner | undefined;
  /** Makes the reply of a failure where the client speaks another protocol than the API. */
  replyOf: ((failure: Failure) => FailureMessage) | undefined;
  /** Notes whose key it came with. */
  admit(owner: KeyOwner): void;
}

const exchangeKey = Symbol('exchange');

/** Keeps the exchange of a request with it. */
export function keepExchange(exchange: Exchange): void {
  Object.assign(exchange.request, { [exchangeKey]: exchange });
}

/** Returns the exchange of a request. */
export const exchangeOf = (request: IncomingMessage): Exchange =>
  (request as unknown as { [exchangeKey]: Exchange })[exchangeKey];
