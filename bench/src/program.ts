import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { say } from './report.ts';

/** A built program in a process of its own. */
export interface Program {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

interface ProgramOptions {
  /** The built file, from the repository's root. */
  file: string;
  environment?: Record<string, string>;
  /** Where a CPU profile is left when the program ends. */
  profileFolder?: string | undefined;
}

/**
 * The shell leaves a watcher behind and becomes the program. The watcher reads from a pipe of ours:
 * a line means that the program ended, the pipe's end that we are gone, in whatever way, and then
 * it ends the program (as in `local/src/child.ts`).
 */
const untilWeAreGone = '( read -r line <&3 || kill -TERM $$ ) >/dev/null 2>&1 & exec "$@" 3<&-';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts a program and waits for the line that says that it is ready, and at which URL. Shows the
 * program's warnings. Rejects with the text of its stderr if it ends before.
 */
export async function startProgram({
  file,
  environment = {},
  profileFolder,
}: ProgramOptions): Promise<Program> {
  const profiling =
    profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const child = spawn(
    '/bin/sh',
    ['-c', untilWeAreGone, file, process.execPath, ...profiling, join(root, file)],
    {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  const watcher = child.stdio[3] as Writable;
  watcher.on('error', () => undefined);
  const exited = once(child, 'exit').then(() => watcher.end('over\n'));
  let complaint = '';
  child.stderr!.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-10_000);
  });
  const url = await readUrl(child.stdout!);
  if (url === undefined) throw new Error(`${file} ended before it was ready: ${complaint}`);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
  };
  return { url, pid: child.pid!, stop };
}

/** Where the program is, once it says so; it is read on, so that it can go on writing. */
const readUrl = (output: NodeJS.ReadableStream): Promise<string | undefined> =>
  new Promise((resolve) => {
    const tellWarning = createTeller();
    createInterface({ input: output })
      .on('line', (line) => {
        if (/\bready\b/.test(line)) resolve(/https?:\/\/[^\s"]+/.exec(line)?.[0]);
        if (/"level":"(warn|error|fatal)"/.test(line)) tellWarning(line);
      })
      .once('close', () => resolve(undefined));
  });

/** Shows a warning when it comes first, and then when it came ten, a hundred, a thousand times. */
function createTeller(): (line: string) => void {
  const counts = new Map<string, number>();
  return (line) => {
    const { name, msg, err } = JSON.parse(line);
    const warning = `${name} warns: ${msg}${err ? ` (${err.message})` : ''}`;
    const count = (counts.get(warning) ?? 0) + 1;
    counts.set(warning, count);
    if (Number.isInteger(Math.log10(count))) say(`  ${warning}${count > 1 ? ` × ${count}` : ''}`);
  };
}
