import { describe, expect, test } from 'vitest';
import { createTurns } from '../src/domain/turns.ts';

const forLong = 60_000;

describe('turns', () => {
  test('are as many as there are for each name, whatever happens at another', async () => {
    const turns = createTurns({ each: 2 });
    const slow = [await turns.enter('slow', forLong), await turns.enter('slow', forLong)];
    expect(slow.every(Boolean)).toBe(true);
    expect(await turns.enter('slow', 1)).toBeUndefined();
    expect(await turns.enter('quick', 1)).toBeDefined();
  });

  test('go to those that wait, in the order of coming, and past those that gave up', async () => {
    const turns = createTurns({ each: 1 });
    const order: string[] = [];
    const leave = await turns.enter('judge', forLong);
    const gaveUp = turns.enter('judge', 1);
    expect(await gaveUp).toBeUndefined();
    const waiting = ['first', 'second', 'third'].map(async (name) => {
      const turn = await turns.enter('judge', forLong);
      order.push(name);
      turn!();
    });
    leave!();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  test('that are all given back can be taken again', async () => {
    const turns = createTurns({ each: 1 });
    for (let round = 0; round < 3; round += 1) (await turns.enter('judge', 1))!();
    expect(await turns.enter('judge', 1)).toBeDefined();
  });
});
