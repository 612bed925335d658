import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
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
  // Its failure is thrown by the last await.
  working.catch(() => undefined);
  while (!done.signal.aborted) {
    await pause(sampleEveryMs, undefined, { signal: done.signal }).catch(() => undefined);
    const now = await memoryOf(pids);
    for (const name in now) most[name] = Math.max(most[name], now[name]);
  }
  return { most, value: await working };
}

/** What `/proc` counts processor time in, in microseconds. */
const tickUs = 10_000;

/**
 * Returns the processor time that the programs of this benchmark have had, MongoDB among them and
 * the load generator not, in microseconds; undefined where there is no `/proc`.
 */
export async function processorTime(): Promise<number | undefined> {
  const running = await listProcesses();
  const parentOf = new Map(running.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (parentOf.get(pid) === process.pid || isOurs(parentOf.get(pid)));
  const times = running.filter(({ pid }) => isOurs(pid)).map(({ pid }) => timeOfProcess(pid));
  return Promise.all(times).then(
    (all) => all.reduce((sum, one) => sum + one, 0),
    () => undefined,
  );
}

async function timeOfProcess(pid: number): Promise<number> {
  const ended = (error: NodeJS.ErrnoException) => {
    if (process.platform === 'linux') return '';
    throw error;
  };
  const [command, stat] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, 'utf8').catch(ended),
    readFile(`/proc/${pid}/stat`, 'utf8').catch(ended),
  ]);
  if (command.includes('load-program') || stat === '') return 0;
  // Behind the name in brackets: fields 14 and 15 of proc(5), user and system.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickUs;
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
