import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@assay/local/port';
import { type Call, callAt } from './installation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A program of an operator, from the built code, with nothing in its environment but what is given.
 */
export interface Program {
  child: ChildProcess;
  /** All that it has said until now. */
  said(): string;
  /** Its exit code. */
  ended: Promise<number | null>;
}

export function startProgram(
  name: string,
  args: string[],
  environment: Record<string, string>,
): Program {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...environment };
  const child = spawn(process.execPath, [`dist/bundle/${name}.js`, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  return {
    child,
    said: () => said,
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}

/** What `npm start` runs, on a data folder, MongoDB and NATS of its own. */
export interface Laptop extends Program {
  url: string;
  key: string;
  call: Call;
  stop(): Promise<void>;
}

export async function startLaptop(
  folder: string,
  environment: Record<string, string> = {},
  args: string[] = [],
): Promise<Laptop> {
  const port = await freePort();
  const program = startProgram('start', args, {
    PORT: String(port),
    ASSAY_DATA_DIR: folder,
    ...environment,
  });
  let isReady = false;
  for await (const line of createInterface({ input: program.child.stdout! })) {
    isReady = line.startsWith('Assay is ready');
    if (isReady) break;
  }
  if (!isReady) throw new Error(`the laptop did not start: ${program.said()}`);
  program.child.stdout!.resume();
  const url = `http://127.0.0.1:${port}`;
  const key = (await readFile(join(folder, 'admin-key'), 'utf8')).trim();
  const stop = async () => {
    program.child.kill('SIGTERM');
    await program.ended;
  };
  return { ...program, url, key, call: callAt(url, key), stop };
}
