import { Failure } from '@assay/contracts/failure';

/** What comes from one address in a second; more of it is too many. */
const countMax = 20;
const everyMs = 1000;

export interface AddressCounts {
  isFull(address: string): boolean;
  /** @throws RATE_LIMITED where too many came from the address. */
  check(address: string): void;
  count(address: string): void;
}

/** Counts something that comes from each address in a second. */
export function createAddressCounts(now: () => number, counted: string): AddressCounts {
  const counts = new Map<string, number>();
  let windowEndsMs = 0;

  function isFull(address: string): boolean {
    const at = now();
    // A window that ends too far in the future began before the clock was set back.
    if (at >= windowEndsMs || at < windowEndsMs - everyMs) {
      counts.clear();
      windowEndsMs = at + everyMs;
    }
    return (counts.get(address) ?? 0) >= countMax;
  }

  return {
    isFull,
    check(address) {
      if (isFull(address)) throw tooMany(counted);
    },
    count: (address) => void counts.set(address, (counts.get(address) ?? 0) + 1),
  };
}

export const tooMany = (counted: string): Failure =>
  new Failure('RATE_LIMITED', `Too many ${counted} came from this address.`, {
    retryAfterSeconds: 1,
  });
