import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSlices, nextTurn } from '../../concurrency/event-loop.ts';
import { inOrganizationContext } from '../../concurrency/organization-context.ts';

function keepTheLoop(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

const loopTurned = () => new Promise((resolve) => setImmediate(resolve));

/** Work of many steps, each longer than a slice, which notes each step. */
async function work(organizationId: string, steps: number, order: string[]): Promise<void> {
  await inOrganizationContext({ organizationId }, async () => {
    for (let step = 0; step < steps; step++) {
      keepTheLoop(4);
      await nextTurn();
      order.push(organizationId);
    }
  });
}

test('short work goes on at once, and work that has kept the loop lets it turn', async () => {
  await loopTurned();
  await loopTurned();
  let hasTurned = false;
  setImmediate(() => (hasTurned = true));
  expect(nextTurn()).toBeUndefined();
  keepTheLoop(4);
  const turn = nextTurn();
  expect(turn).toBeInstanceOf(Promise);
  await turn;
  expect(hasTurned).toBe(true);
});

test('organizations take turns: one with much work keeps another waiting for one slice a step, and no longer', async () => {
  const order: string[] = [];
  const greedy = Array.from({ length: 20 }, () => work('greedy', 3, order));
  await Promise.all([...greedy, work('modest', 3, order)]);
  const steps = order.flatMap((name, at) => (name === 'modest' ? [at] : []));
  expect(steps).toHaveLength(3);
  expect(steps.at(-1)).toBeLessThanOrEqual(6);
});

describe('between two slices, long work', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Whether work that has kept the loop for a slice goes on as soon as the loop has turned. */
  async function goesOnAtOnce(here: { areSeveral: boolean; isScarce: boolean }) {
    const next = createSlices({
      areSeveral: () => here.areSeveral,
      isScarce: () => here.isScarce,
    });
    let hasGoneOn = false;
    next();
    keepTheLoop(4);
    const resumed = next()!.then(() => {
      hasGoneOn = true;
    });
    await loopTurned();
    await loopTurned();
    const wasAtOnce = hasGoneOn;
    vi.advanceTimersByTime(1);
    await resumed;
    return wasAtOnce;
  }

  test('pauses for a millisecond beside others where processors are scarce', async () => {
    expect(await goesOnAtOnce({ areSeveral: true, isScarce: true })).toBe(false);
  });

  test('goes on at once where its organization is alone, or processors are free', async () => {
    expect(await goesOnAtOnce({ areSeveral: false, isScarce: true })).toBe(true);
    expect(await goesOnAtOnce({ areSeveral: true, isScarce: false })).toBe(true);
  });
});
