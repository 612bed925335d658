import { Failure } from '@assay/contracts/failure';
import type { Database } from './database.ts';

/** For so long an answer of the database is used, in ms. */
const knownMs = 10_000;
const retryAfterSeconds = 60;

export type DiskReserve = ReturnType<typeof createDiskReserve>;

/**
 * Keeps room on the disk of the database, since a full one ends MongoDB for all organizations. With
 * 0 bytes nothing is refused.
 */
export function createDiskReserve({
  database,
  reserveBytes,
}: {
  database: Pick<Database, 'freeBytes'>;
  reserveBytes: number;
}) {
  let known: KnownSpace | undefined;

  function free(): Promise<number | undefined> {
    if (known && performance.now() < known.untilMs) return known.free;
    const asked: KnownSpace = {
      free: database.freeBytes(),
      untilMs: performance.now() + knownMs,
      isEnough: false,
    };
    known = asked;
    asked.free.then(
      (freeBytes) => {
        asked.isEnough = isEnough(freeBytes);
      },
      () => {
        if (known === asked) known = undefined;
      },
    );
    return asked.free;
  }

  /** A disk of which the database tells nothing is taken to have room. */
  const isEnough = (freeBytes: number | undefined): freeBytes is undefined =>
    freeBytes === undefined || freeBytes >= reserveBytes;

  return {
    /** True where it is known that `check` would find room: small amounts need not wait for it. */
    hasRoom: (): boolean =>
      reserveBytes === 0 || (known?.isEnough === true && performance.now() < known.untilMs),

    /**
     * For large amounts, which may be refused. Up to ten seconds pass until a full disk is noticed.
     * @throws SERVICE_UNAVAILABLE where less than the reserve is free.
     */
    async check(): Promise<void> {
      if (reserveBytes === 0) return;
      const freeBytes = await free();
      if (isEnough(freeBytes)) return;
      throw new Failure(
        'SERVICE_UNAVAILABLE',
        `The disk of the database is nearly full: ${inMiB(freeBytes)} are free, and ${inMiB(reserveBytes)} are kept free. Ask your operator for room.`,
        { retryAfterSeconds },
      );
    },
  };
}

interface KnownSpace {
  free: Promise<number | undefined>;
  untilMs: number;
  /** False until the database has answered. */
  isEnough: boolean;
}

const inMiB = (bytes: number): string =>
  `${Math.floor(bytes / 1024 ** 2).toLocaleString('en')} MiB`;
