import { expect, test } from 'vitest';
import { forEachGroup, grouped } from '../src/domain/grouped.ts';

test('the work of an organization is done though that of another fails, which is told after it', async () => {
  const done: string[] = [];
  const work = forEachGroup(
    grouped(['a1', 'b1', 'a2', 'c1'], (item) => item[0]!),
    async (key, items) => {
      if (key === 'a') throw new Error(`${items} failed`);
      done.push(...items);
    },
  );
  await expect(work).rejects.toThrow('a1,a2 failed');
  expect(done).toEqual(['b1', 'c1']);
});

test('groups are worked on side by side as far as they may be', async () => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = forEachGroup(
    grouped(['a', 'b', 'c'], (item) => item),
    (key) => {
      begun.push(key);
      return new Promise((resolve) => ends.set(key, resolve));
    },
    { atOnce: 2 },
  );
  expect(begun).toEqual(['a', 'b']);
  ends.get('b')!();
  await expect.poll(() => begun).toEqual(['a', 'b', 'c']);
  for (const end of ends.values()) end();
  await work;
});
