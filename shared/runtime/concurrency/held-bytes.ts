import { unavailable } from '@assay/contracts/failure';
import { createFairShare } from './fair-share.ts';

/**
 * The memory that one organization may take in a process with large bodies and replies, and with
 * lines of which a part has come: 17 of the largest bodies (15 MiB). Others have a reserve.
 */
const heldBytesMax = 256 * 1024 * 1024;

// One account a process, because the services in it share its memory.
const held = createFairShare(heldBytesMax);

/** The bytes that are taken at the moment. */
export const heldBytes = (): number => held.heldByAll();

/** The memory of one body, reply or line. */
export interface Reservation {
  /** @throws SERVICE_UNAVAILABLE if there is no room for so many bytes now. */
  check(bytes: number): void;
  /** @throws the same, unless it may not refuse. */
  take(bytes: number, mayRefuse?: boolean): void;
  release(): void;
}

export function createReservation(organizationId: string): Reservation {
  let taken = 0;
  const check = (bytes: number) => {
    if (!held.hasRoom(organizationId, bytes))
      throw unavailable('More large bodies are being worked on than can be held.');
  };
  return {
    check,
    take: (bytes, mayRefuse = true) => {
      if (mayRefuse) check(bytes);
      held.take(organizationId, bytes);
      taken += bytes;
    },
    release: () => {
      held.giveBack(organizationId, taken);
      taken = 0;
    },
  };
}
