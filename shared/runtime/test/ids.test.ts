import { validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { newId } from '../ids.ts';

test('ids are UUIDv7, and each sorts after the one before, however many are made in a millisecond', () => {
  const ids = Array.from({ length: 50_000 }, newId);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids.slice(0, 100)) expect([validate(id), version(id)]).toEqual([true, 7]);
  expect(
    Math.abs(Number.parseInt(ids[0]!.replace('-', '').slice(0, 12), 16) - Date.now()),
  ).toBeLessThan(60_000);
});
