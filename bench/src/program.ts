import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

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

/** Starts a program and waits for the line in which it says that it is ready, and where. Rejects with what it said when it ends before. */
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

async function readUrl(output: NodeJS.ReadableStream): Promise<string | undefined> {
  const lines = createInterface({ input: output });
  for await (const line of lines) {
    const url = /\bready\b/.test(line) ? /https?:\/\/[^\s"]+/.exec(line)?.[0] : undefined;
    if (url === undefined) continue;
    output.resume();
    return url;
  }
  return undefined;
}
