import { createDiskReserve } from '@assay/runtime/mongo/disk-reserve';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let now: number;
let asked: number;
beforeEach(() => {
  [now, asked] = [1_000_000, 0];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

/** A disk that has as many bytes free as the function says. */
const reserveOf = (free: () => number | undefined, reserveBytes = 100) =>
  createDiskReserve({
    database: {
      freeBytes: async () => {
        asked++;
        return free();
      },
    },
    reserveBytes,
  });

test('the database is asked once in ten seconds, however much is checked', async () => {
  let free = 100;
  const reserve = reserveOf(() => free);
  expect(reserve.hasRoom()).toBe(false);
  await Promise.all([reserve.check(), reserve.check()]);
  free = 99;
  now += 9999;
  await reserve.check();
  expect([reserve.hasRoom(), asked]).toEqual([true, 1]);
  now += 1;
  expect(reserve.hasRoom()).toBe(false);
  await expect(reserve.check()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfterSeconds: 60,
  });
  expect([reserve.hasRoom(), asked]).toEqual([false, 2]);
});

test('an error is no answer: the next check asks again', async () => {
  let isAway = true;
  const reserve = reserveOf(() => {
    if (isAway) throw new Error('away');
    return 100;
  });
  await expect(reserve.check()).rejects.toThrow('away');
  isAway = false;
  await reserve.check();
  expect(reserve.hasRoom()).toBe(true);
});

test('a database that does not tell, and a reserve of 0, refuse nothing', async () => {
  const untold = reserveOf(() => undefined);
  await untold.check();
  expect(untold.hasRoom()).toBe(true);
  const off = reserveOf(() => 0, 0);
  await off.check();
  expect([off.hasRoom(), asked]).toEqual([true, 1]);
});
