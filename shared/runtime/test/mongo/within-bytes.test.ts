import { expect, test } from 'vitest';
import { takeWithin } from '../../mongo/within-bytes.ts';

async function* documents(...sizes: number[]): AsyncGenerator<number> {
  yield* sizes;
}

const take = (sizes: number[], itemsMax: number) =>
  takeWithin(documents(...sizes), { itemsMax, bytesMax: 10, bytesOf: (size) => size });

test.for([
  [[], 2, [], false],
  [[1, 2], 2, [1, 2], false],
  [[1, 2, 3], 2, [1, 2], true],
  [[6, 4], 3, [6, 4], false],
  [[6, 5], 3, [6], true],
  [[20], 3, [20], false],
  [[20, 1], 3, [20], true],
] as const)(
  'of the sizes %j at most %i, and of 10 together, %j are taken',
  async ([sizes, itemsMax, taken, hasMore]) => {
    expect(await take([...sizes], itemsMax)).toEqual({ documents: taken, hasMore });
  },
);

test('a cursor is read no further than the first document that does not fit', async () => {
  let read = 0;
  let isClosed = false;
  async function* cursor() {
    try {
      for (; ; read++) yield 4;
    } finally {
      isClosed = true;
    }
  }
  expect(
    (await takeWithin(cursor(), { itemsMax: 100, bytesMax: 10, bytesOf: (size) => size }))
      .documents,
  ).toHaveLength(2);
  expect([read, isClosed]).toEqual([2, true]);
});
