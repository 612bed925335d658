import { describe, expect, test } from 'vitest';
import type { System } from '../src/evaluation.ts';
import { callSystem } from '../src/execution.ts';
import { createProviderLimits, retryAfterOf } from '../src/provider-limits.ts';
import { Retry } from '../src/retry.ts';

const { signal } = new AbortController();

const call = (system: System) =>
  callSystem({
    system,
    testcase: { inputs: {}, expected: {}, metadata: {} },
    trial: 1,
    timeoutMs: 60_000,
    signal,
  });

const limits = ({ concurrency = 8, retries = 3, rateLimit }: Partial<Options> = {}) =>
  createProviderLimits({ concurrency, retries, rateLimit, signal });
interface Options {
  concurrency: number;
  retries: number;
  rateLimit: number;
}

class Limited extends Error {
  status = 429;
  headers: unknown;
  constructor(headers: unknown = { 'Retry-After': '0' }) {
    super('slow down');
    this.headers = headers;
  }
}

describe('a call that a provider refuses by its limits', () => {
  test('is made again until the provider takes it', async () => {
    const refusals = [new Limited(), new Retry('no quota', { after: 0 })];
    const own = limits();
    const result = await own.call(() =>
      call(() => {
        const refusal = refusals.pop();
        if (refusal) throw refusal;
        return { a: 1 };
      }),
    );
    expect(result).toMatchObject({ outputs: { a: 1 }, attempts: 3 });
    expect(result!.error).toBeUndefined();
    expect(own.notes()[0]!.text).toContain('2 calls were made again');
  });

  test('is the error of its record after the last try', async () => {
    let calls = 0;
    const result = await limits({ retries: 2 }).call(() =>
      call(() => {
        calls += 1;
        throw new Retry('no quota', { after: 0 });
      }),
    );
    expect([calls, result!.attempts]).toEqual([3, 3]);
    expect(result!.error).toMatchObject({ name: 'Retry', message: 'no quota', status: 429 });
  });

  test('is not made again for another error', async () => {
    const own = limits();
    const result = await own.call(() => call(() => Promise.reject(new RangeError('far'))));
    expect(result!.attempts).toBe(1);
    expect(own.notes()).toEqual([]);
  });

  test('finds its turn with a provider that has room for two', async () => {
    let underWay = 0;
    let answered = 0;
    const own = limits({ retries: 100 });
    const system: System = async () => {
      if (underWay >= 2) throw new Limited({ 'retry-after': '0.001' });
      underWay += 1;
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      answered += 1;
      return {};
    };
    const results = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const all = [];
        for (let index = 0; index < 10; index++) all.push(await own.call(() => call(system)));
        return all;
      }),
    );
    expect(results.flat().filter((result) => !result || result.error)).toEqual([]);
    expect(answered).toBe(80);
  });

  test('halves what may be called at once, which grows back', async () => {
    const own = limits({ concurrency: 8, retries: 0 });
    let underWay = 0;
    let most = 0;
    const system: System = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return {};
    };
    const all = (count: number) =>
      Promise.all(Array.from({ length: count }, () => own.call(() => call(system))));
    await own.call(() => call(() => Promise.reject(new Limited())));
    await all(4);
    expect(most).toBe(4);
    await all(100);
    expect(most).toBe(8);
  });
});

test('calls begin no more often than the rate', async () => {
  const own = limits({ rateLimit: 1200 });
  const starts: number[] = [];
  for (let index = 0; index < 5; index++)
    await own.call(() => call(() => starts.push(performance.now())));
  expect(starts.at(-1)! - starts[0]!).toBeGreaterThan(4 * 50 - 20);
});

test.each([
  [{ headers: new Headers({ 'retry-after': '7' }) }, 7],
  [{ response: { headers: new Headers({ 'retry-after': '8' }) } }, 8],
  [{ headers: { 'Retry-After': '9' } }, 9],
  [{ headers: { 'retry-after': 'soon' } }, undefined],
  [undefined, undefined],
])('the wait that %j asks for is %j seconds', (thrown, seconds) => {
  expect(retryAfterOf(thrown)).toBe(seconds);
});

test('the wait until a date is that many seconds', () => {
  const date = new Date(Date.now() + 100_000).toUTCString();
  expect(retryAfterOf(new Limited({ 'retry-after': date }))).toBeGreaterThan(90);
});
