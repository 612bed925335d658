import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What `npm run gate` ended with, and said. */
export interface CommandResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built gate as a process of its own, with this environment and no other. */
export async function runGate(
  args: string[],
  environment: Record<string, string> = {},
): Promise<CommandResult> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, ['dist/bundle/gate.js', ...args], {
    cwd: root,
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => (said[name] += chunk));
  const [exitCode] = await once(child, 'close');
  return { exitCode, ...said };
}
