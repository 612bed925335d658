import { describe, expect, test } from 'vitest';
import { createModelSemaphore } from '../src/domain/model-semaphore.ts';

const forLong = 60_000;

describe('a semaphore of models', () => {
  test('has its permits for each model, whatever happens at another', async () => {
    const semaphore = createModelSemaphore({ each: 2 });
    const slow = [await semaphore.acquire('slow', 'one', forLong), await semaphore.acquire('slow', 'one', forLong)];
    expect(slow.every(Boolean)).toBe(true);
    expect(await semaphore.acquire('slow', 'one', 1)).toBeUndefined();
    expect(await semaphore.acquire('quick', 'one', 1)).toBeDefined();
  });

  test('admits those that wait in the order of coming, and passes over those that gave up', async () => {
    const semaphore = createModelSemaphore({ each: 1 });
    const order: string[] = [];
    const release = await semaphore.acquire('judge', 'one', forLong);
    const gaveUp = semaphore.acquire('judge', 'one', 1);
    expect(await gaveUp).toBeUndefined();
    const waiting = ['first', 'second', 'third'].map(async (name) => {
      const release = await semaphore.acquire('judge', 'one', forLong);
      order.push(name);
      release!();
    });
    release!();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  test('can be acquired again when it was released', async () => {
    const semaphore = createModelSemaphore({ each: 1 });
    for (let round = 0; round < 3; round += 1) (await semaphore.acquire('judge', 'one', 1))!();
    expect(await semaphore.acquire('judge', 'one', 1)).toBeDefined();
  });

  test('is shared by organizations: one permit more than one may hold is for the others, and who holds fewest is next', async () => {
    const semaphore = createModelSemaphore({ each: 2 });
    const greedy = [await semaphore.acquire('judge', 'greedy', forLong), await semaphore.acquire('judge', 'greedy', forLong)];
    expect(await semaphore.acquire('judge', 'greedy', 1)).toBeUndefined();
    const modest = await semaphore.acquire('judge', 'modest', forLong);
    expect(modest).toBeDefined();
    const order: string[] = [];
    const wait = async (organization: string) => {
      const release = await semaphore.acquire('judge', organization, forLong);
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
