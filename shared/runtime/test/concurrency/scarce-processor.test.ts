import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { waitedForProcessorMs } from '@assay/runtime/concurrency/processor-time';
import { createScarcity } from '@assay/runtime/concurrency/scarce-processor';
import { poll } from '@assay/testing/poll';
import { describe, expect, onTestFinished, test } from 'vitest';

/** A thread that has waited for so many of the ms that have passed. */
function thread() {
  const at = { nowMs: 0, waitedMs: 0 };
  const isScarce = createScarcity({ waitedMs: () => at.waitedMs, nowMs: () => at.nowMs });
  return (passedMs: number, waitedMs: number): boolean => {
    at.nowMs += passedMs;
    at.waitedMs += waitedMs;
    return isScarce();
  };
}

describe('a processor is scarce', () => {
  test('while the thread waits for more than a fifth of the time', () => {
    const isScarceAfter = thread();
    expect(isScarceAfter(100, 20)).toBe(false);
    expect(isScarceAfter(100, 21)).toBe(true);
    expect(isScarceAfter(100, 0)).toBe(false);
  });

  test('by an answer that holds for 20 ms', () => {
    const isScarceAfter = thread();
    expect(isScarceAfter(19, 19)).toBe(false);
    expect(isScarceAfter(1, 0)).toBe(true);
    expect(isScarceAfter(19, 0)).toBe(true);
    expect(isScarceAfter(1, 0)).toBe(false);
  });

  test('never, where the system does not tell', () => {
    let now = 0;
    const isScarce = createScarcity({ waitedMs: () => undefined, nowMs: () => (now += 100) });
    expect([isScarce(), isScarce()]).toEqual([false, false]);
  });
});

test.runIf(process.platform === 'linux')(
  'the system tells how long a thread waits beside as many busy processes as there are processors',
  async () => {
    const busy = Array.from({ length: availableParallelism() }, () =>
      spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
    );
    onTestFinished(() => {
      for (const child of busy) child.kill('SIGKILL');
    });
    const before = waitedForProcessorMs()!;
    await poll('the thread has waited', () => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return waitedForProcessorMs()! - before > 20;
    });
  },
);
