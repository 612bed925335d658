import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { isWithin, plainAddress } from '@assay/runtime/http/address';

/** The address of the client of a request; an empty text where its connection is gone. */
export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Finds the address of a client behind proxies: the last one of `X-Forwarded-For`, from the right,
 * that is no trusted proxy's. A peer that is not trusted itself may write there what it likes: its
 * own address counts.
 */
export const createClientAddress =
  (trusted: BlockList | undefined): ClientAddress =>
  ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress ?? '') ?? '';
    if (!trusted || address === '') return address;
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    while (forwarded.length > 0 && isWithin(trusted, address)) {
      const next = plainAddress(forwarded.pop()!);
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
