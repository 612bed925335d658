import { describe, expect, test } from 'vitest';
import { createModelSemaphore } from '../src/domain/model-semaphore.ts';

const forLong = 60_000;

function createHolds(each: number) {
  const withPermit = createModelSemaphore({ each });
  /**
   * Resolves with the function that releases the permit, or with undefined if there was none in
   * time.
   */
  return (
    model: string,
    organizationId: string,
    waitMs: number,
  ): Promise<(() => void) | undefined> =>
    new Promise((resolve) => {
      const hold = () => new Promise<string>((release) => resolve(() => release('held')));
      void withPermit({ model, organizationId, waitMs }, hold).then(
        (outcome) => outcome ?? resolve(undefined),
      );
    });
}

describe('a semaphore of models', () => {
  test('has its permits for each model, whatever happens at another', async () => {
    const acquire = createHolds(2);
    const slow = [await acquire('slow', 'one', forLong), await acquire('slow', 'one', forLong)];
    expect(slow.every(Boolean)).toBe(true);
    expect(await acquire('slow', 'one', 1)).toBeUndefined();
    expect(await acquire('quick', 'one', forLong)).toBeDefined();
  });

  test('admits those that wait in the order of coming, and passes over those that gave up', async () => {
    const acquire = createHolds(1);
    const order: string[] = [];
    const release = await acquire('judge', 'one', forLong);
    const gaveUp = acquire('judge', 'one', 1);
    expect(await gaveUp).toBeUndefined();
    const waiting = ['first', 'second', 'third'].map(async (name) => {
      const release = await acquire('judge', 'one', forLong);
      order.push(name);
      release!();
    });
    release!();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  test('can be acquired again when it was released', async () => {
    const acquire = createHolds(1);
    for (let round = 0; round < 3; round++) (await acquire('judge', 'one', forLong))!();
    expect(await acquire('judge', 'one', forLong)).toBeDefined();
  });

  test('throws what the work throws', async () => {
    const withPermit = createModelSemaphore({ each: 1 });
    const permit = { model: 'judge', organizationId: 'one', waitMs: forLong };
    await expect(
      withPermit(permit, () => Promise.reject(new Error('the database is away'))),
    ).rejects.toThrow('the database is away');
    expect(await withPermit(permit, async () => 'done')).toBe('done');
  });

  test('is shared by organizations: one permit more than one may hold is for the others, and who holds fewest is next', async () => {
    const acquire = createHolds(2);
    const greedy = [
      await acquire('judge', 'greedy', forLong),
      await acquire('judge', 'greedy', forLong),
    ];
    expect(await acquire('judge', 'greedy', 1)).toBeUndefined();
    const modest = await acquire('judge', 'modest', forLong);
    expect(modest).toBeDefined();
    const order: string[] = [];
    const wait = async (organization: string) => {
      const release = await acquire('judge', organization, forLong);
      order.push(organization);
      return release;
    };
    const waiting = [wait('greedy'), wait('greedy'), wait('modest'), wait('late')];
    greedy[0]!();
    expect(await waiting[3]).toBeDefined();
    modest!();
    await waiting[2];
    expect(order).toEqual(['late', 'modest']);
  });
});
