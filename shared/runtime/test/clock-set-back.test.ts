import { poll } from '@assay/testing/poll';
import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from 'vitest';
import { avoid, createUpstream } from '../http/upstreams.ts';
import { newId } from '../ids.ts';
import { openDatabase } from '../mongo/database.ts';

let database: Awaited<ReturnType<typeof openDatabase>>;
const things = () => database.collection<{ _id: string; count: number }>('things');
beforeAll(async () => {
  database = await openDatabase({ uri: inject('servers').mongodbUri, name: `clock-${newId()}` });
  await things().insertOne({ _id: 'one', count: 0 });
});
afterAll(async () => {
  await things().drop();
  await database.close();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** As an operator does, or a clock that learns that it was fast. */
function setClockBackAnHour(): void {
  const now = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
}

test('ids stay unique, and each sorts after the one before, when the clock is set back an hour', () => {
  const before = Array.from({ length: 1000 }, newId);
  setClockBackAnHour();
  const ids = [...before, ...Array.from({ length: 1000 }, newId)];
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(ids.toSorted());
});

test('a replica that could not be reached is tried again after a second, not after an hour, when the clock is set back', async () => {
  const upstream = createUpstream({
    service: 'x',
    urls: 'http://127.0.0.1:1,http://127.0.0.1:2',
    timeoutMs: 1000,
  });
  const [first] = upstream.replicas();
  avoid(first!);
  setClockBackAnHour();
  await poll('it is tried first again', () => upstream.inTurn()[0] === first);
});

test('a write that another one holds up ends with a 503, and does not hang for an hour, when the clock is set back', async () => {
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHolding = false;
  const holding = database.transaction(async () => {
    await things().updateOne({ _id: 'one' }, { $inc: { count: 1 } });
    isHolding = true;
    await held;
  });
  await poll('it is held', () => isHolding);
  const waiting = database.transaction(
    () => things().updateOne({ _id: 'one' }, { $inc: { count: 1 } }),
    { conflictWaitMs: 300 },
  );
  setClockBackAnHour();
  try {
    await expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  } finally {
    release?.();
    await holding;
  }
});
