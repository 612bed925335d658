import { expect, test, vi } from 'vitest';
import { createFairSemaphore, QueueFull } from '../../concurrency/fair-semaphore.ts';

/** Starts work that goes on until the test ends it, and notes what has begun. */
function createWorks(withPermit: ReturnType<typeof createFairSemaphore>) {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  return {
    begun,
    start: (
      organization: string,
      name: string,
      options?: Parameters<typeof withPermit>[2],
    ): Promise<void> =>
      withPermit(
        organization,
        () => {
          begun.push(name);
          return new Promise<void>((resolve, reject) => ends.set(name, { resolve, reject }));
        },
        options,
      ),
    end: (name: string) => ends.get(name)!.resolve(),
    fail: (name: string) => ends.get(name)!.reject(new Error('failed')),
  };
}

test('no more than so much work is under way, what waits begins in order, and work that fails gives its permit back', async () => {
  const withPermit = createFairSemaphore({ permits: 2 });
  const { begun, start, end, fail } = createWorks(withPermit);
  const works = ['1', '2', '3', '4'].map((name) => start('a', name));
  const settled = Promise.allSettled(works);
  await expect.poll(() => begun).toEqual(['1', '2']);
  fail('1');
  await expect(works[0]).rejects.toThrow('failed');
  await expect.poll(() => begun).toEqual(['1', '2', '3']);
  end('2');
  await expect.poll(() => begun).toEqual(['1', '2', '3', '4']);
  end('3');
  end('4');
  expect((await settled).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  await expect(withPermit('a', async () => 'free')).resolves.toBe('free');
});

test('work waits until there are permits for all of it, and nothing of its organization that came later goes before it', async () => {
  const { begun, start, end } = createWorks(createFairSemaphore({ permits: 10 }));
  const works = [6, 3, 99, 1].map((permits) => start('a', String(permits), { permits }));
  await expect.poll(() => begun).toEqual(['6', '3']);
  end('6');
  end('3');
  await expect.poll(() => begun).toEqual(['6', '3', '99']);
  end('99');
  await expect.poll(() => begun).toEqual(['6', '3', '99', '1']);
  end('1');
  await Promise.all(works);
});

test('work that takes longer than its turn goes on, and the next begins beside it', async () => {
  const { begun, start, end } = createWorks(createFairSemaphore({ permits: 1, turnMaxMs: 20 }));
  const first = start('a', '1');
  const second = start('a', '2');
  await expect.poll(() => begun).toEqual(['1', '2']);
  end('1');
  end('2');
  await Promise.all([first, second]);
});

test('an organization that comes later begins before what another has waiting', async () => {
  const { begun, start, end } = createWorks(createFairSemaphore({ permits: 1 }));
  const works = ['a1', 'a2', 'a3'].map((name) => start('a', name));
  works.push(start('b', 'b1'), start('b', 'b2'), start('c', 'c1'));
  for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) {
    await expect.poll(() => begun.at(-1)).toBe(name);
    end(name);
  }
  await Promise.all(works);
});

test('an organization holds fewer permits while another asks too, and all that it may ten seconds after that', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const withPermit = createFairSemaphore({ permits: 6, permitsEach: 3, permitsBesideOthers: 1 });
    const { begun, start, end } = createWorks(withPermit);
    const works = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'].map((name) => start('a', name));
    await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3']);
    await withPermit('b', async () => undefined);
    end('a1');
    end('a2');
    await works[1];
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    end('a3');
    await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    vi.advanceTimersByTime(10_001);
    works.push(start('a', 'a8'));
    await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
    for (const name of ['a4', 'a5', 'a6']) end(name);
    await expect.poll(() => begun.length).toBe(8);
    end('a7');
    end('a8');
    await Promise.all(works);
  } finally {
    vi.useRealTimers();
  }
});

test('one organization leaves the permits that it may not hold to the others', async () => {
  const { begun, start, end } = createWorks(createFairSemaphore({ permits: 3, permitsEach: 2 }));
  const works = ['a1', 'a2', 'a3'].map((name) => start('a', name));
  await expect.poll(() => begun).toEqual(['a1', 'a2']);
  works.push(start('b', 'b1'));
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1']);
  end('b1');
  end('a2');
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  end('a1');
  end('a3');
  await Promise.all(works);
});

test('an organization is refused beyond what it may have waiting, and others are not', async () => {
  const { begun, start, end } = createWorks(createFairSemaphore({ permits: 1, waitingEach: 1 }));
  const works = [start('a', 'a1'), start('a', 'a2')];
  await expect(start('a', 'a3')).rejects.toThrow(QueueFull);
  works.push(start('b', 'b1'));
  for (const name of ['a1', 'b1', 'a2']) {
    await expect.poll(() => begun.at(-1)).toBe(name);
    end(name);
  }
  await Promise.all(works);
});

test('work that waits longer than it may is refused, and what waits behind it begins', async () => {
  const withPermit = createFairSemaphore({ permits: 2, waitMaxMs: 50 });
  const { begun, start, end } = createWorks(withPermit);
  const first = start('a', '1');
  const large = expect(start('a', '2', { permits: 2 })).rejects.toThrow(QueueFull);
  const behind = start('a', '3');
  await large;
  expect([begun, withPermit.waiting()]).toEqual([['1', '3'], 0]);
  end('1');
  end('3');
  await Promise.all([first, behind]);
});

test('work whose signal is aborted while it waits never begins, and what waits behind it does', async () => {
  const { begun, start, end } = createWorks(createFairSemaphore({ permits: 2 }));
  const leaving = new AbortController();
  const first = start('a', '1');
  const dropped = start('a', '2', { permits: 2, signal: leaving.signal });
  const last = start('a', '3');
  await expect.poll(() => begun).toEqual(['1']);
  leaving.abort(new Error('gone'));
  await expect(dropped).rejects.toThrow('gone');
  await expect.poll(() => begun).toEqual(['1', '3']);
  await expect(start('a', '4', { signal: leaving.signal })).rejects.toThrow('gone');
  end('1');
  end('3');
  await Promise.all([first, last]);
});
