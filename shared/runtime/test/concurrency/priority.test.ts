import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Piscina } from 'piscina';
import { expect, onTestFinished, test } from 'vitest';
import { lowerChildPriority } from '../../concurrency/priority.ts';
import { workerFile } from '../../concurrency/worker-file.ts';

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
  'a worker thread yields the processor to the thread that answers requests, on Linux',
  async () => {
    const workers = new Piscina(workerFile({ module: import.meta.url, name: './priority-worker' }));
    onTestFinished(() => workers.destroy());
    expect(await workers.run({})).toBe(10);
    expect(getPriority()).toBe(0);
  },
);

test('a child that leads a session yields the processor, and so does its scheduling group where there is one', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  lowerChildPriority(child.pid!);
  expect(getPriority(child.pid!)).toBe(10);
  const group = `/proc/${child.pid}/autogroup`;
  if (existsSync(group)) expect(readFileSync(group, 'utf8')).toMatch(/nice 10$/m);
});

test('a child of our own session yields the processor alone: our scheduling group keeps its priority', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const group = '/proc/self/autogroup';
  const before = existsSync(group) && readFileSync(group, 'utf8');
  lowerChildPriority(child.pid!);
  expect(getPriority(child.pid!)).toBe(10);
  expect(existsSync(group) && readFileSync(group, 'utf8')).toBe(before);
});

test('the priority of a process that has ended is left as it is', () => {
  expect(() => lowerChildPriority(2 ** 22 + 1)).not.toThrow();
});
