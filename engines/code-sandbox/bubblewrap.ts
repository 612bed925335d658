import { execFile, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Launch } from './child.ts';
import { librariesOf } from './libraries.ts';
import { systemCallFilter } from './system-calls.ts';

/**
 * Puts a command behind bubblewrap's wall, with the files and folders that it needs, but for the
 * folders in them that are hidden.
 */
export type Wall = (inside: {
  command: string;
  args: string[];
  folder: string;
  reads: string[];
  hidden?: string[];
}) => Launch;

/** Where the loader finds its libraries listed. */
const libraryCache = '/etc/ld.so.cache';

/** How long bubblewrap may take to show that it works. */
const tryTimeoutMs = 20_000;

/**
 * Finds bubblewrap, at the path or on PATH, and tries it out; where it does not work, the reason in
 * one sentence.
 */
export async function findWall({
  bubblewrapPath,
}: {
  bubblewrapPath?: string | undefined;
}): Promise<{ wall: Wall } | { reason: string }> {
  if (process.platform !== 'linux') return { reason: 'bubblewrap runs on Linux only' };
  const program = bubblewrapPath ?? (await pathOf('bwrap'));
  if (!program) return { reason: 'bubblewrap (bwrap) is not installed' };
  const wall = wallOf(program);
  const reads = [process.execPath, ...(await librariesOf([process.execPath]))];
  const fault = await faultOf(
    wall({ command: process.execPath, args: ['--version'], folder: '/', reads }),
  );
  return fault === undefined ? { wall } : { reason: `bubblewrap does not work here: ${fault}` };
}

/**
 * No network, other processes, devices or writable files: the root is empty but for `reads`, and
 * read-only. Nothing of the environment is there to be found, since bubblewrap itself is started
 * without.
 */
function wallOf(program: string): Wall {
  const filter = systemCallFilter();
  return ({ command, args, folder, reads, hidden = [] }) => ({
    command: program,
    args: [
      // In the session of `startChild`, which has no terminal: one of its own would be another
      // scheduling group, of full priority.
      ...[
        '--unshare-all',
        '--die-with-parent',
        '--as-pid-1',
        '--cap-drop',
        'ALL',
        '--hostname',
        'sandbox',
      ],
      ...[libraryCache, ...reads].flatMap((path) => ['--ro-bind-try', path, path]),
      ...hidden.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
      ...['--dir', folder, '--chdir', folder, '--remount-ro', '/'],
      ...(filter ? ['--seccomp', '3'] : []),
      ...['--', command, ...args],
    ],
    folder: '/',
    filter,
  });
}

/** Why a launched program does not end well: the last line of its stderr. */
export async function faultOf({
  command,
  args,
  folder,
  filter,
}: Launch): Promise<string | undefined> {
  const child = spawn(command, args, {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: tryTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`),
    );
  });
  const input = child.stdio[3] as Writable;
  input.on('error', () => undefined).end(filter);
  const said = await text(child.stderr!).catch(() => '');
  const fault = await ended;
  return fault && (said.trim().split('\n').at(-1) || fault);
}

/** As the shell finds it: our environment is not read here. */
async function pathOf(program: string): Promise<string | undefined> {
  const found = await promisify(execFile)('/bin/sh', ['-c', `command -v ${program}`]).catch(
    () => undefined,
  );
  return found?.stdout.trim() || undefined;
}
