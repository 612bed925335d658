import { expect, test } from 'vitest';
import { findNamed } from '../mongo/find-named.ts';

/** Counts up, and notes how far it was read. */
async function* counted(end: number, read: { last: number }) {
  for (let place = 1; place <= end; place++) {
    read.last = place;
    yield place;
  }
}

test('a search by name reads no further than it must, and says whether more may follow', async () => {
  const read = { last: 0 };
  const isWanted = (place: number) => place % 2 === 0;
  expect(await findNamed(counted(100, read), { isWanted, limit: 2 })).toEqual({
    found: [2, 4],
    isCut: true,
  });
  expect(read.last).toBe(6);
  expect(await findNamed(counted(5, read), { isWanted, limit: 2 })).toEqual({
    found: [2, 4],
    isCut: false,
  });
});

test('a search by name looks at 10,000 of a kind', async () => {
  const read = { last: 0 };
  const isWanted = (place: number) => place === 10_001;
  expect(await findNamed(counted(20_000, read), { isWanted, limit: 1 })).toEqual({
    found: [],
    isCut: true,
  });
  expect(read.last).toBe(10_001);
});
