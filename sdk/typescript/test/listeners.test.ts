import { expect, test } from 'vitest';
import { evaluate } from '../src/evaluate.ts';
import { onInterrupt } from '../src/interrupt.ts';
import { createProviderLimits } from '../src/provider-limits.ts';
import { Retry } from '../src/retry.ts';

/** The warnings of Node.js on too many listeners, while this is at work. */
async function warningsOf(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const note = ({ name, message }: Error) => {
    if (name === 'MaxListenersExceededWarning') warnings.push(message);
  };
  process.on('warning', note);
  await work();
  // Node.js warns at the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  return warnings;
}

const calls = Array.from({ length: 16 }, (_, q) => ({ inputs: { q } }));

/** A system that a provider refuses at each first call. */
function refusedOnce() {
  const asked = new Set<unknown>();
  return ({ q }: { q: unknown }) => {
    if (asked.size === asked.add(q).size) return { a: 1 };
    throw new Retry('overloaded', { after: 0.001 });
  };
}

test('sixteen calls at once that a provider refuses warn of nothing', async () => {
  const warnings = await warningsOf(() =>
    evaluate('P', {
      local: true,
      quiet: true,
      concurrency: 16,
      testcases: calls,
      system: refusedOnce(),
      scores: { S: () => true },
    }),
  );
  expect(warnings).toEqual([]);
});

test('pauses of sixteen calls of a run on a server warn of nothing', async () => {
  const interrupt = onInterrupt({ session: {} as never, progress: undefined });
  const { stopping: signal } = interrupt;
  const limits = createProviderLimits({ concurrency: 16, retries: 1, signal });
  const system = refusedOnce();
  const call = async (q: unknown) => {
    try {
      return { outputs: system({ q }) };
    } catch (thrown) {
      return { error: { name: 'Retry', message: '', status: 429 }, thrown };
    }
  };
  const warnings = await warningsOf(() =>
    Promise.all(calls.map(({ inputs: { q } }) => limits.call(() => call(q) as never))),
  );
  interrupt.off();
  expect(warnings).toEqual([]);
});

test('many evaluations that are refused in a row warn of nothing', async () => {
  const warnings = await warningsOf(async () => {
    for (let index = 0; index < 20; index++)
      await expect(evaluate('P', { zzz: 1 } as never)).rejects.toThrow('no option');
  });
  expect(warnings).toEqual([]);
  expect(process.listenerCount('uncaughtException')).toBeLessThan(5);
});
