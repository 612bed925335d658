import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startChild } from '../src/child.ts';
import { isRunning, recordOf, writeRecord } from '../src/process-record.ts';
import { supervise } from '../src/supervise.ts';
import { until } from '../src/until.ts';
import { makeFolder } from './setting.ts';

async function startShell({
  script,
  onExit = () => undefined,
}: {
  script: string;
  onExit?: (reason: string) => void;
}) {
  const folder = await makeFolder();
  const files = { pidFile: join(folder, 'shell.pid'), logFile: join(folder, 'logs', 'shell.log') };
  const child = await startChild({
    name: 'shell',
    command: '/bin/sh',
    args: ['-c', script],
    ...files,
    onExit,
  });
  return { child, ...files };
}

describe('startChild', () => {
  it('tells of a child that ends by itself, writes down what it said, and forgets its pid', async () => {
    const onExit = vi.fn();
    const { logFile, pidFile } = await startShell({
      script: 'echo out; echo err >&2; exit 3',
      onExit,
    });
    await expect.poll(() => onExit.mock.calls).toEqual([['with exit code 3']]);
    expect(await readFile(logFile, 'utf8')).toBe('out\nerr\n');
    await expect(readFile(pidFile)).rejects.toThrow('ENOENT');
  });

  it('gives a child no more of our environment than it needs: no key of a provider', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-secret');
    const { logFile } = await startShell({ script: 'env' });
    await expect.poll(() => readFile(logFile, 'utf8')).toContain('PATH=');
    const names = (await readFile(logFile, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    const own = ['PWD', 'OLDPWD', 'SHLVL', '_'];
    expect(
      names.filter(
        (name) =>
          !own.includes(name!) &&
          !['PATH', 'LD_LIBRARY_PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'].includes(name!),
      ),
    ).toEqual([]);
    vi.unstubAllEnvs();
  });

  it('tells nothing of a child that was stopped', async () => {
    const onExit = vi.fn();
    const { child } = await startShell({ script: 'exec sleep 600', onExit });
    const record = (await recordOf(child.pid))!;
    await child.stop({ timeoutMs: 10_000 });
    expect(await isRunning(record)).toBe(false);
    await child.stop({ timeoutMs: 10_000 });
    expect(onExit).not.toHaveBeenCalled();
  });

  it('keeps a child out of the process group that Ctrl-C reaches', async () => {
    const { child } = await startShell({ script: 'exec sleep 600' });
    // A negative pid names the group that this process leads.
    expect(process.kill(-child.pid, 0)).toBe(true);
    await child.stop({ timeoutMs: 10_000 });
  });

  it('kills a child that ignores SIGTERM at the deadline', async () => {
    const { child, logFile } = await startShell({
      script: 'trap "" TERM; echo deaf; while :; do sleep 0.05; done',
    });
    await expect.poll(() => readFile(logFile, 'utf8')).toBe('deaf\n');
    const record = (await recordOf(child.pid))!;
    await child.stop({ timeoutMs: 100 });
    expect(await isRunning(record)).toBe(false);
  });

  it('never ends a process that only got the recorded pid later', async () => {
    const { child: other } = await startShell({ script: 'exec sleep 600' });
    const record = (await recordOf(other.pid))!;
    const folder = await makeFolder();
    const pidFile = join(folder, 'shell.pid');
    await writeRecord({ file: pidFile, record: { pid: other.pid, startedAt: 'long ago' } });
    const child = await startChild({
      name: 'shell',
      command: '/bin/sleep',
      args: ['600'],
      pidFile,
      logFile: join(folder, 'shell.log'),
      onExit: () => undefined,
    });
    expect(await isRunning(record)).toBe(true);
    await child.stop({ timeoutMs: 10_000 });
    await other.stop({ timeoutMs: 10_000 });
  });
});

describe('supervise', () => {
  it('gives a server up in one sentence when it keeps dying', async () => {
    const folder = await makeFolder();
    const mayEnd = join(folder, 'may-end');
    const [log, onFatal] = [vi.fn(), vi.fn()];
    const server = await supervise({
      name: 'shell',
      command: '/bin/sh',
      args: ['-c', `until [ -e '${mayEnd}' ]; do sleep 0.02; done; rm '${mayEnd}'; exit 7`],
      pidFile: join(folder, 'shell.pid'),
      logFile: join(folder, 'shell.log'),
      // It ends once it is known to be ready, however busy the machine is.
      untilReady: async () => {
        setImmediate(() => writeFileSync(mayEnd, ''));
        return true;
      },
      log,
      onFatal,
      pauseMs: 1,
    });
    await expect
      .poll(() => onFatal.mock.calls)
      .toEqual([[`shell died 9 times within two minutes: ${join(folder, 'shell.log')} says why.`]]);
    expect(
      log.mock.calls.filter(([line]) => line === 'shell ended with exit code 7; starting it again'),
    ).toHaveLength(8);
    await server.stop();
  });

  it('throws one sentence when the server ends while it is starting', async () => {
    const folder = await makeFolder();
    const logFile = join(folder, 'shell.log');
    const start = supervise({
      name: 'shell',
      command: '/bin/sh',
      args: ['-c', 'exit 9'],
      pidFile: join(folder, 'shell.pid'),
      logFile,
      untilReady: ({ signal }) => until({ condition: () => false, timeoutMs: 20_000, signal }),
      log: () => undefined,
      onFatal: () => undefined,
    });
    await expect(start).rejects.toThrow(
      `shell ended with exit code 9 while starting: ${logFile} says why.`,
    );
  });
});
