import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts a program and waits for the line in which it says that it is ready, and where; what it warns of is shown. Rejects with what it
 * said when it ends before.
 */
export async function startProgram({ file, environment = {}, profileFolder }: ProgramOptions): Promise<Program> {
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const child = spawn(process.execPath, [...profiling, join(root, file)], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-10_000);
  });
  const url = await readUrl(child.stdout);
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
    createInterface({ input: output })
      .on('line', (line) => {
        if (/\bready\b/.test(line)) resolve(/https?:\/\/[^\s"]+/.exec(line)?.[0]);
        if (/"level":[456]0\b/.test(line)) tellWarning(line);
      })
      .once('close', () => resolve(undefined));
  });

function tellWarning(line: string): void {
  const { name, msg, err } = JSON.parse(line);
  say(`  ${name} warns: ${msg}${err ? ` (${err.message})` : ''}`);
}
