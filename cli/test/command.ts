import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The end of `assay`, and its output. */
export interface CommandResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

interface CommandOptions {
  environment?: Record<string, string>;
  folder?: string;
  input?: string;
  /** Called when the process has begun. */
  onStart?: (child: ChildProcess) => void;
}

/** Runs the built `assay` as a process of its own, with this environment and no other. */
export async function runAssay(
  args: string[],
  { environment = {}, folder, input = '', onStart }: CommandOptions = {},
): Promise<CommandResult> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onStart?.(child);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => (said[name] += chunk));
  const [exitCode] = await once(child, 'close');
  return { exitCode, ...said };
}
