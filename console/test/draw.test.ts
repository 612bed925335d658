import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deal, draw } from '../src/pages/review/draw.ts';

const anyIds = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 50 });

test('a draw has as many different records as are asked for, and no others', () => {
  fc.assert(
    fc.property(anyIds, fc.nat(60), (ids, count) => {
      const drawn = draw(ids, { count });
      expect(new Set(drawn).size).toBe(Math.min(count, ids.length));
      expect(ids).toEqual(expect.arrayContaining(drawn));
    }),
  );
});

test('a share is rounded up, and all of them is everything', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  expect(draw(ids, { share: 0.3 })).toHaveLength(2);
  expect(draw(ids, { share: 1 }).toSorted()).toEqual(ids);
});

test('each record is as likely to be drawn as any other', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const counts = new Map<string, number>();
  for (let first = 0; first < 4; first += 1)
    for (let second = 0; second < 3; second += 1) {
      const chances = [first / 4, second / 3];
      for (const id of draw(ids, { count: 2 }, () => chances.shift()!))
        counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  expect([...counts.values()]).toEqual([6, 6, 6, 6]);
});

test('work is dealt evenly: each record to so many different members', () => {
  fc.assert(
    fc.property(anyIds, anyIds, fc.integer({ min: 1, max: 5 }), (records, members, perRecord) => {
      const dealt = deal(records, members, perRecord);
      const each = Math.min(perRecord, members.length);
      for (const id of records) {
        const own = dealt.filter(({ recordId }) => recordId === id);
        expect(new Set(own.map(({ userId }) => userId)).size).toBe(each);
      }
      expect(dealt).toHaveLength(records.length * each);
      const loads = members.map((id) => dealt.filter(({ userId }) => userId === id).length);
      expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
    }),
  );
});
