import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromLines, toLines } from '../../http/lines.ts';

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('values come back as they were written, wherever the bytes are cut', async () => {
  const values = fc.array(fc.jsonValue({ stringUnit: 'binary' }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(values, fc.integer({ min: 1, max: 9 }), async (written, pieceBytes) => {
      const bytes = Buffer.concat(await all(toLines(each(written))));
      const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
        bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
      );
      expect(await all(fromLines(each(pieces)))).toEqual(JSON.parse(JSON.stringify(written)));
    }),
  );
});

test('many lines are few pieces', async () => {
  const pieces = await all(
    toLines(each(Array.from({ length: 10_000 }, (_, index) => ({ id: `record ${index}` })))),
  );
  expect(pieces.length).toBeLessThan(10);
});

test('lines of which the last is cut are not taken for the whole', async () => {
  await expect(all(fromLines(each([Buffer.from('{"a":1}\n{"a"')])))).rejects.toThrow(
    'ended in the middle',
  );
});
