import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { endRecorded, recordOf, writeRecord } from './process-record.ts';
import { makePrivate } from './secret.ts';

const leftoverTimeoutMs = 15_000;
const logBytesMax = 20 * 1024 * 1024;

export interface Child {
  pid: number;
  /** Sends SIGTERM, at the deadline SIGKILL; resolves when the process is gone. */
  stop: (options: { timeoutMs: number }) => Promise<void>;
}

/**
 * Starts a program that does not outlive this process: when this process ends, in whatever way, the
 * program gets SIGTERM, and the next start ends a process that the pid file still names. `onExit`
 * is called when the program ends without having been stopped. The program is in a session of its
 * own, so that Ctrl-C in the terminal reaches only this process.
 */
export async function startChild(options: {
  name: string;
  command: string;
  args: string[];
  pidFile: string;
  logFile: string;
  onExit: (reason: string) => void;
}): Promise<Child> {
  const { name, command, args, pidFile, logFile, onExit } = options;
  await endRecorded({ file: pidFile, timeoutMs: leftoverTimeoutMs });
  const child = await launch({ name, command, args, logFile });
  const pid = child.pid!;
  let stopping = false;
  const tell = (code: number | null, signal: NodeJS.Signals | null) => {
    (child.stdio[3] as Writable).end('over\n');
    rmSync(pidFile, { force: true });
    if (!stopping) onExit(signal ? `by ${signal}` : `with exit code ${code}`);
  };
  // One that ended while its log was being closed has told so already.
  if (hasEnded(child)) tell(child.exitCode, child.signalCode);
  else child.once('exit', tell);
  const stop = ({ timeoutMs }: { timeoutMs: number }) => {
    stopping = true;
    return end({ child, timeoutMs });
  };
  const record = await recordOf(pid);
  if (record && !hasEnded(child)) await writeRecord({ file: pidFile, record });
  if (hasEnded(child)) rmSync(pidFile, { force: true });
  return { pid, stop };
}

/**
 * The shell leaves a watcher behind and becomes the program, which so keeps the pid. The watcher
 * holds the reading end of a pipe of ours: a line means that the program ended and its pid is no
 * longer its own; the end of the pipe means that we are gone.
 */
const untilWeAreGone = '( read -r line <&3 || kill -TERM $$ ) >/dev/null 2>&1 & exec "$@" 3<&-';

/**
 * The variables of our environment that a server may need. The rest is not passed on, because it
 * contains the keys of providers.
 */
const passedOn = ['PATH', 'LD_LIBRARY_PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

async function launch(options: {
  name: string;
  command: string;
  args: string[];
  logFile: string;
}): Promise<ChildProcess> {
  const { name, command, args, logFile } = options;
  const log = await openLog(logFile);
  try {
    const child = spawn('/bin/sh', ['-c', untilWeAreGone, name, command, ...args], {
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'pipe'],
      env: Object.fromEntries(
        passedOn.flatMap((variable) =>
          process.env[variable] ? [[variable, process.env[variable]]] : [],
        ),
      ),
    });
    // Writing to a pipe whose watcher is gone is no fault of ours.
    child.stdio[3]?.on('error', () => undefined);
    await once(child, 'spawn');
    return child;
  } finally {
    await log.close();
  }
}

async function openLog(logFile: string): Promise<FileHandle> {
  await mkdir(dirname(logFile), { recursive: true });
  const bytes = await stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
  if (bytes > logBytesMax) await rename(logFile, `${logFile}.1`);
  await makePrivate(logFile);
  return open(logFile, 'a');
}

async function end({
  child,
  timeoutMs,
}: {
  child: ChildProcess;
  timeoutMs: number;
}): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await ended;
  clearTimeout(deadline);
}

const hasEnded = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;
