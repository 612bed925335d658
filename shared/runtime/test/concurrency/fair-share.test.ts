import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairShare } from '../../concurrency/fair-share.ts';

test('one organization alone may hold all of a bound, and not more', () => {
  const share = createFairShare(100);
  expect(share.tryToTake('a', 100)).toBe(true);
  expect(share.tryToTake('a', 1)).toBe(false);
  share.giveBack('a', 1);
  expect(share.tryToTake('a', 1)).toBe(true);
});

test('an organization finds room where another holds all that it may', () => {
  const share = createFairShare(512);
  while (share.tryToTake('a', 1));
  expect(share.tryToTake('b', 60)).toBe(true);
  expect(share.tryToTake('c', 7)).toBe(true);
});

test('what is given back is free again, and one that held too much gets nothing until the others have their share', () => {
  const share = createFairShare(80);
  expect(share.tryToTake('a', 80)).toBe(true);
  expect(share.tryToTake('b', 9)).toBe(true);
  share.giveBack('a', 8);
  expect(share.tryToTake('a', 8)).toBe(false);
  expect(share.tryToTake('b', 8)).toBe(true);
});

test('whatever organizations take and give back, all of them together hold no more than eight sevenths of the bound', () => {
  const step = fc.record({
    organization: fc.integer({ min: 0, max: 9 }),
    amount: fc.integer({ min: 1, max: 50 }),
    takes: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.integer({ min: 1, max: 500 }),
      (steps, bound) => {
        const share = createFairShare(bound);
        const held = new Map<string, number>();
        for (const { organization, amount, takes } of steps) {
          const id = String(organization);
          const own = held.get(id) ?? 0;
          if (takes && share.tryToTake(id, amount)) held.set(id, own + amount);
          if (!takes && own > 0) {
            share.giveBack(id, Math.min(own, amount));
            held.set(id, own - Math.min(own, amount));
          }
          const sum = [...held.values()].reduce((total, one) => total + one, 0);
          expect(share.heldByAll()).toBe(sum);
          expect(sum).toBeLessThanOrEqual((bound * 8) / 7);
        }
      },
    ),
  );
});
