import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyOwner } from './keys.ts';

/** One request with its reply, and the state of both. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** Headers of the reply, whatever it will be: names and values in turn. */
  headers: string[];
  /** Set while a service works on the request: ends that, because the client went away. */
  abort: (() => void) | undefined;
  /** Set while the reply is a stream without an end of its own. */
  isEndless?: boolean;
  /** Bytes of the request's body that count towards the bound on all held bodies. */
  heldBytes: number;
  /** Whose key it came with, once that is known. */
  owner: KeyOwner | undefined;
  /** Notes whose key it came with. */
  admit(owner: KeyOwner): void;
}
