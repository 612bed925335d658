import { unavailable } from '@assay/contracts/failure';
import { guardItem } from '@assay/runtime/concurrency/guard-item';
import { expect, test } from 'vitest';

test('whatever an item throws is its own fault, thrown at once or later', async () => {
  const thrown = [new TypeError('no number'), 'a text', undefined, null, { code: 1 }];
  for (const error of thrown) {
    const message = error instanceof Error ? error.message : String(error);
    expect(
      guardItem(() => {
        throw error;
      }),
    ).toEqual({ fault: message });
    expect(await guardItem(() => Promise.reject(error))).toEqual({ fault: message });
  }
});

test('the result of an item that throws nothing is passed on', async () => {
  expect(guardItem(() => 1)).toEqual({ result: 1 });
  expect(await guardItem(async () => 2)).toEqual({ result: 2 });
});

test('an outage is no fault of the item, and is thrown on', async () => {
  const outage = unavailable('A part of the service is stopping: try again.');
  expect(() =>
    guardItem(() => {
      throw outage;
    }),
  ).toThrow(outage);
  await expect(guardItem(() => Promise.reject(outage))).rejects.toBe(outage);
});

test('an error that cannot be cloned or written becomes a fault that crosses to another thread', () => {
  const uncloneable = Object.assign(new Error('no values'), { retry: () => {} });
  for (const error of [uncloneable, Symbol('no values'), Object.create(null)]) {
    const guarded = guardItem((): number => {
      throw error;
    });
    expect(structuredClone(guarded)).toEqual({ fault: expect.any(String) });
  }
});
