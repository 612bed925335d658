import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/**
 * Random bytes are asked of the system for many ids at once: asked for each, they cost more than
 * all the rest.
 */
const pool = new Uint8Array(16 * 256);
let used = pool.length;

let lastMs = 0;
let sequence = 0;

/** Returns the instant at which an id was made. */
export const instantOf = (id: string): Date =>
  new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16));

/**
 * A new id: UUIDv7, so that ids sort by the time they were made; in one process strictly (RFC 9562,
 * section 6.2, method 1).
 */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + 16);
  used += 16;
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // The upper half of the sequence stays free for the ids of this millisecond.
    sequence = ((random[6]! & 0x7f) << 24) | (random[7]! << 16) | (random[8]! << 8) | random[9]!;
  } else sequence = (sequence + 1) >>> 0;
  return v7({ random, msecs: lastMs, seq: sequence });
}
