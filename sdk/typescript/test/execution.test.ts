import { describe, expect, test } from 'vitest';
import type { System } from '../src/evaluation.ts';
import { callSystem, forEachConcurrently } from '../src/execution.ts';

const call = (system: System, timeoutMs = 60_000) =>
  callSystem({
    system,
    testcase: { inputs: { q: 1 }, expected: {}, metadata: {} },
    trial: 1,
    timeoutMs,
    signal: new AbortController().signal,
  });

async function* fails() {
  yield 'a';
  JSON.parse('{');
}

describe('a call of the system', () => {
  test.each([
    [{ a: 1 }, { a: 1 }],
    ['text', { output: 'text' }],
    [[1], { output: [1] }],
    [undefined, { output: null }],
    [[1, 2].values(), { output: [1, 2] }],
  ])('that returns %j has the outputs %j', async (returned, outputs) => {
    expect((await call(() => returned)).outputs).toEqual(outputs);
  });

  test.each<[string, System, string]>([
    ['throws', () => Promise.reject(new RangeError('far')), 'RangeError'],
    ['throws before it is async', () => JSON.parse('{'), 'SyntaxError'],
    ['throws a text', () => Promise.reject('text'), 'Error'],
    ['fails while it generates', fails, 'SyntaxError'],
  ])('that %s is a result with the error', async (_what, system, name) => {
    const { outputs, error } = await call(system);
    expect(error!.name).toBe(name);
    expect(outputs).toEqual({});
  });

  test('that is silent for longer than it may ends with its signal, though it does not listen', async () => {
    let wasEnded = false;
    const silent: System = (_inputs, { signal }) =>
      new Promise(() => signal.addEventListener('abort', () => (wasEnded = true)));
    const { error } = await call(silent, 5);
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: 'The system gave no answer within 5 ms.',
    });
    expect(wasEnded).toBe(true);
  });

  test('carries the id of its trace only where the system asked for it', async () => {
    const asked = await call((_inputs, { otelLinkId }) => ({ otelLinkId }));
    expect(asked.otelLinkId).toMatch(/^[0-9a-f]{32}$/);
    expect(asked.outputs).toEqual({ otelLinkId: asked.otelLinkId });
    expect((await call(() => 1)).otelLinkId).toBeUndefined();
  });
});

async function* count(to: number) {
  for (let index = 0; index < to; index++) yield index;
}
const signal = new AbortController().signal;

describe('items that are worked on concurrently', () => {
  test('are never more than allowed at once, and all of them', async () => {
    let [now, most, done] = [0, 0, 0];
    async function work() {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
      done += 1;
    }
    await forEachConcurrently({ items: count(20), concurrency: 3, signal, work });
    expect([most, done]).toEqual([3, 20]);
  });

  test('are begun no more after a failure, which is thrown', async () => {
    const begun: number[] = [];
    async function work(item: number) {
      begun.push(item);
      if (item === 3) throw new Error('no');
    }
    await expect(
      forEachConcurrently({ items: count(20), concurrency: 2, signal, work }),
    ).rejects.toThrow('no');
    expect(begun.length).toBeLessThan(7);
  });
});
