import { afterAll, expect, test } from 'vitest';
import { createDeadlineWorkers } from '../../concurrency/deadline-workers.ts';

const workers = createDeadlineWorkers({
  module: import.meta.url,
  name: './deadline-worker',
  threads: 1,
  heapMiBMax: 64,
});
afterAll(() => workers.close());

const isLinux = process.platform === 'linux';

test('work that never ends is stopped at its deadline', async () => {
  expect(
    await workers.run({ task: { busyMs: Number.POSITIVE_INFINITY }, timeoutMs: 200 }),
  ).toMatchObject({ stopped: 'time', item: -1 });
});

test.skipIf(!isLinux)(
  'time in which a thread did not get the processor does not count against its deadline, on Linux',
  async () => {
    expect(await workers.run({ task: { idleMs: 500 }, timeoutMs: 200 })).toMatchObject({
      result: 'done',
    });
  },
);

test.skipIf(!isLinux)(
  'work that did not get the processor for long is not blamed: it is to be tried again, on Linux',
  async () => {
    const starved = workers.run({ task: { idleMs: 600_000 }, timeoutMs: 100 });
    await expect(starved).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
  },
);

test('work that is under way or waits when they are closed is to be tried again', async () => {
  const closing = createDeadlineWorkers({
    module: import.meta.url,
    name: './deadline-worker',
    threads: 1,
    heapMiBMax: 64,
  });
  await closing.run({ task: {}, timeoutMs: 10_000 });
  const works = [1, 2].map(() => closing.run({ task: { idleMs: 600_000 }, timeoutMs: 600_000 }));
  const failures = Promise.all(works.map((one) => one.catch((error: unknown) => error)));
  await closing.close();
  expect(await failures).toMatchObject([
    { code: 'SERVICE_UNAVAILABLE' },
    { code: 'SERVICE_UNAVAILABLE' },
  ]);
});
