import { Failure } from '@assay/contracts/failure';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { inOrganizationContext } from '../../concurrency/organization-context.ts';
import { createWorkers, type StoppedTask, type WorkersOptions } from '../../concurrency/workers.ts';

const startWorkers = (options: Partial<WorkersOptions> = {}) =>
  createWorkers({
    module: import.meta.url,
    name: './endless-worker',
    threads: 1,
    timeoutMs: 600_000,
    heapMiBMax: 64,
    ...options,
  });

const workers = startWorkers();
afterAll(() => workers.close());

const isLinux = process.platform === 'linux';

test('work that never ends is stopped at its deadline', async () => {
  expect(
    await workers.attempt({ busyMs: Number.POSITIVE_INFINITY }, { timeoutMs: 200 }),
  ).toMatchObject({ stopped: 'time', item: -1 });
});

test.skipIf(!isLinux)(
  'time in which a thread did not get the processor does not count against its deadline, on Linux',
  async () => {
    expect(await workers.attempt({ idleMs: 500 }, { timeoutMs: 200 })).toMatchObject({
      result: 'done',
    });
  },
);

test.skipIf(!isLinux)(
  'work that did not get the processor for long is not blamed: it is to be tried again, on Linux',
  async () => {
    const starved = workers.run({ idleMs: 600_000 }, { timeoutMs: 100 });
    await expect(starved).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfterSeconds: 1,
    });
  },
);

test('work that is under way or waits when they are closed is to be tried again', async () => {
  const closing = startWorkers();
  await closing.run({});
  const works = [1, 2].map(() => closing.run({ idleMs: 600_000 }));
  const failures = Promise.all(works.map((one) => one.catch((error: unknown) => error)));
  await closing.close();
  expect(await failures).toMatchObject([
    { code: 'SERVICE_UNAVAILABLE' },
    { code: 'SERVICE_UNAVAILABLE' },
  ]);
});

describe('tasks of several organizations', () => {
  const inContext = (organizationId: string, signal?: AbortSignal) => (work: object) =>
    inOrganizationContext({ organizationId, signal }, () => workers.run<object, string>(work));

  test('take turns: what one has waiting does not delay another', async () => {
    const [ofOne, ofOther] = ['one', 'other'].map((id) => inContext(id));
    const ended: string[] = [];
    const note = (name: string) => (promise: Promise<unknown>) =>
      promise.then(() => ended.push(name));
    await Promise.all([
      ...[1, 2, 3].map((index) => note(`one ${index}`)(ofOne!({ busyMs: 20 }))),
      note('other')(ofOther!({ busyMs: 20 })),
    ]);
    expect(ended).toEqual(['one 1', 'other', 'one 2', 'one 3']);
  });

  test('are dropped when nobody waits for them any more, and never begin', async () => {
    const leaving = new AbortController();
    const made: string[] = [];
    const busy = inContext('one')({ busyMs: 50 });
    const left = inOrganizationContext({ organizationId: 'one', signal: leaving.signal }, () =>
      workers.run(() => {
        made.push('a task');
        return {};
      }),
    ).catch((reason: unknown) => reason);
    leaving.abort('gone');
    expect(await left).toBe('gone');
    await busy;
    expect(made).toEqual([]);
  });
});

describe('a task that is stopped', () => {
  test('is refused in a sentence, and its thread is replaced', async () => {
    const tooLong = workers.run({ busyMs: Number.POSITIVE_INFINITY }, { timeoutMs: 100 });
    await expect(tooLong).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'This was stopped, because it takes too much time.',
    });
    expect(await workers.run({})).toBe('done');
  });

  test('by the cap of its heap is refused as its sender says', async () => {
    const own = startWorkers({ heapMiBMax: 16 });
    onTestFinished(own.close);
    const refuse = ({ stopped }: StoppedTask) =>
      new Failure('PAYLOAD_TOO_LARGE', `too much ${stopped}`);
    await expect(own.run({ keptMiB: 200 }, { refuse })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'too much memory',
    });
    expect(await own.run({})).toBe('done');
  });
});

test('what a task throws is its own, and a failure keeps its code and its details', async () => {
  await expect(workers.run({ throws: 'failure' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { issues: [{ path: '/a', message: 'is wrong' }] },
  });
  await expect(workers.run({ throws: 'symbol' })).rejects.toThrow('Symbol(odd)');
});
