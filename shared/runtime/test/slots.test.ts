import { expect, test } from 'vitest';
import { createSlots } from '../slots.ts';

test('no more than so many pieces of work are under way, each gets its turn in order, and one that fails gives its slot back', async () => {
  const inSlot = createSlots(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const works = [0, 1, 2, 3].map((number) =>
    inSlot(
      () =>
        new Promise<void>((resolve, reject) => {
          begun.push(number);
          ends.push(number === 0 ? () => reject(new Error('failed')) : resolve);
        }),
    ),
  );
  const settled = Promise.allSettled(works);
  await expect.poll(() => begun).toEqual([0, 1]);
  ends[0]!();
  await expect(works[0]).rejects.toThrow('failed');
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  ends[1]!();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  ends[2]!();
  ends[3]!();
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  await expect(inSlot(async () => 'free')).resolves.toBe('free');
});

test('a heavy piece of work waits until there is room for all of it, and nobody who came later goes before it', async () => {
  const inSlot = createSlots(10);
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const start = (weight: number) =>
    inSlot(() => {
      begun.push(weight);
      return new Promise<void>((resolve) => ends.set(weight, resolve));
    }, weight);
  const works = [6, 3, 99, 1].map(start);
  await expect.poll(() => begun).toEqual([6, 3]);
  ends.get(6)!();
  ends.get(3)!();
  await expect.poll(() => begun).toEqual([6, 3, 99]);
  ends.get(99)!();
  await expect.poll(() => begun).toEqual([6, 3, 99, 1]);
  ends.get(1)!();
  await Promise.all(works);
});

test('what takes longer than a turn goes on, and the next begins beside it', async () => {
  const inSlot = createSlots(1, { turnMaxMs: 20 });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const start = (number: number) =>
    inSlot(() => {
      begun.push(number);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const works = [start(0)];
  await expect.poll(() => begun).toEqual([0]);
  works.push(start(1));
  await expect.poll(() => begun).toEqual([0, 1]);
  ends[0]!();
  await works[0];
  ends[1]!();
  await Promise.all(works);
});
