import type { RequestWish, TakenRequests } from '@assay/contracts/identity';
import { expect, test } from 'vitest';
import { createLimits } from '../src/limits.ts';

/** What the gateways of a test share: one minute of one organization. */
function startMinute(isAway = () => false) {
  let taken = 0;
  let questions = 0;
  const take = async (
    _organizationId: string,
    { limit, wanted, returned }: RequestWish,
  ): Promise<TakenRequests> => {
    questions += 1;
    await new Promise(setImmediate);
    if (isAway()) throw new Error('no answer');
    taken -= returned;
    const granted = Math.max(0, Math.min(wanted, limit - taken));
    taken += granted;
    return { granted, taken, resetsInMs: 60_000 };
  };
  return { take, questions: () => questions };
}

/** How many of so many requests are let through, a few of them at once. */
async function passed(limits: ReturnType<typeof createLimits>, count: number): Promise<number> {
  let through = 0;
  for (let sent = 0; sent < count; sent += 10)
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await limits.count('o', []);
        through += 1;
      }),
    ).catch(() => undefined);
  return through;
}

test('three gateways let through as many requests as one, within a tenth, with a question for many', async () => {
  const { take, questions } = startMinute();
  const gateways = [1, 2, 3].map(() => createLimits({ perMinute: () => 300, take }));
  const through = await Promise.all(gateways.map((limits) => passed(limits, 300)));
  const all = through.reduce((sum, each) => sum + each, 0);
  expect(all).toBeLessThanOrEqual(300);
  expect(all).toBeGreaterThanOrEqual(270);
  expect(questions()).toBeLessThan(150);
});

test('one gateway lets through the whole of a small limit', async () => {
  const { take } = startMinute();
  expect(await passed(createLimits({ perMinute: () => 7, take }), 50)).toBe(7);
});

test('a gateway that gets no answer counts alone', async () => {
  const { take } = startMinute(() => true);
  expect(await passed(createLimits({ perMinute: () => 40, take }), 100)).toBe(40);
});

test('a limit that is lowered or raised within the minute holds at once', async () => {
  const { take } = startMinute();
  let limit = 10_000;
  const limits = createLimits({ perMinute: () => limit, take });
  expect(await passed(limits, 100)).toBe(100);
  limit = 150;
  expect(await passed(limits, 100)).toBe(50);
  limit = 20_000;
  expect(await passed(limits, 100)).toBe(100);
});
