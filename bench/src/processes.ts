import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const sampleEveryMs = 200;

interface RunningProcess {
  pid: number;
  parent: number;
  /** Resident memory. */
  bytes: number;
  name: string;
}

/** Resident bytes of processes. */
export type Memory<Name extends string> = Record<Name, number>;

/** Returns the processes that run on this machine at this moment. */
export const listProcesses = (): Promise<RunningProcess[]> => list(['-A']);

export async function memoryOf<Name extends string>(
  pids: Record<Name, number>,
): Promise<Memory<Name>> {
  const entries = Object.entries<number>(pids);
  const running = await list(['-p', entries.map(([, pid]) => pid).join()]);
  const sizes = entries.map(([name, pid]) => [name, running.find((one) => one.pid === pid)!.bytes]);
  return Object.fromEntries(sizes) as Memory<Name>;
}

/**
 * Returns the most memory that each process was seen to have while `work` was in progress, and the
 * result of the work.
 */
export async function memoryDuring<Name extends string, Value>(
  pids: Record<Name, number>,
  work: () => Promise<Value>,
): Promise<{ most: Memory<Name>; value: Value }> {
  const most = await memoryOf(pids);
  const done = new AbortController();
  const working = work().finally(() => done.abort());
  // It is awaited last, and fails there.
  working.catch(() => undefined);
  while (!done.signal.aborted) {
    await pause(sampleEveryMs, undefined, { signal: done.signal }).catch(() => undefined);
    const now = await memoryOf(pids);
    for (const name in now) most[name] = Math.max(most[name], now[name]);
  }
  return { most, value: await working };
}

async function list(which: string[]): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', [...which, '-o', 'pid=,ppid=,rss=,comm=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, kibibytes, command]) => ({
      pid: Number(pid),
      parent: Number(parent),
      bytes: Number(kibibytes) * 1024,
      name: basename(command!),
    }));
}
