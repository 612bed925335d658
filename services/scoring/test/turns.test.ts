import { describe, expect, test } from 'vitest';
import { createTurns } from '../src/domain/turns.ts';

const forLong = 60_000;

describe('turns', () => {
  test('are as many as there are for each name, whatever happens at another', async () => {
    const turns = createTurns({ each: 2 });
    const slow = [await turns.enter('slow', 'one', forLong), await turns.enter('slow', 'one', forLong)];
    expect(slow.every(Boolean)).toBe(true);
    expect(await turns.enter('slow', 'one', 1)).toBeUndefined();
    expect(await turns.enter('quick', 'one', 1)).toBeDefined();
  });

  test('go to those that wait, in the order of coming, and past those that gave up', async () => {
    const turns = createTurns({ each: 1 });
    const order: string[] = [];
    const leave = await turns.enter('judge', 'one', forLong);
    const gaveUp = turns.enter('judge', 'one', 1);
    expect(await gaveUp).toBeUndefined();
    const waiting = ['first', 'second', 'third'].map(async (name) => {
      const turn = await turns.enter('judge', 'one', forLong);
      order.push(name);
      turn!();
    });
    leave!();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  test('that are all given back can be taken again', async () => {
    const turns = createTurns({ each: 1 });
    for (let round = 0; round < 3; round += 1) (await turns.enter('judge', 'one', 1))!();
    expect(await turns.enter('judge', 'one', 1)).toBeDefined();
  });

  test('of one model are shared by organizations: one more than one may have is for the others, and who has fewest is next', async () => {
    const turns = createTurns({ each: 2 });
    const greedy = [await turns.enter('judge', 'greedy', forLong), await turns.enter('judge', 'greedy', forLong)];
    expect(await turns.enter('judge', 'greedy', 1)).toBeUndefined();
    const modest = await turns.enter('judge', 'modest', forLong);
    expect(modest).toBeDefined();
    const order: string[] = [];
    const wait = async (organization: string) => {
      const turn = await turns.enter('judge', organization, forLong);
      order.push(organization);
      return turn;
    };
    const waiting = [wait('greedy'), wait('greedy'), wait('modest'), wait('late')];
    greedy[0]!();
    expect(await waiting[3]).toBeDefined();
    modest!();
    await waiting[2];
    expect(order).toEqual(['late', 'modest']);
  });
});
