import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { poll } from '@assay/testing/poll';
import { expect, onTestFinished, test } from 'vitest';
import { processorUse } from '../../concurrency/processor-time.ts';

const isLinux = process.platform === 'linux';

function startProcess(script: string): ChildProcess {
  const child = spawn(process.execPath, ['--eval', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test.skipIf(!isLinux)(
  'a process that wants a processor which others have is known to wait, and its parent with it, on Linux',
  async () => {
    // It spins for ten milliseconds at a time, and ends with its parent.
    const spinning = `process.stdin.on('end', () => process.exit()).resume(); setInterval(() => { const end = Date.now() + 10; while (Date.now() < end); }, 0)`;
    const spin = `require('node:child_process').spawn(process.execPath, ['--eval', ${JSON.stringify(spinning)}], { stdio: ['pipe', 'ignore', 'ignore'] })`;
    const parents = Array.from({ length: 2 * availableParallelism() }, () =>
      startProcess(`${spin}; process.stdin.resume()`),
    );
    await poll('the children of each have waited', () =>
      parents.every(({ pid }) => processorUse(pid!).waitedMs > 50),
    );
  },
);

test('a process that is not there uses nothing and waits for nothing', () => {
  expect(processorUse(2 ** 22 + 1)).toEqual({ usedMs: 0, waitedMs: 0, isReady: false });
});
