import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * Runs a program to its end and returns its stdout. Throws an Error that names the program and the
 * last line of its stderr.
 */
export async function runProgram(options: {
  command: string;
  args: string[];
  timeoutMs: number;
  folder?: string;
  environment?: Record<string, string>;
}): Promise<string> {
  const { command, args, timeoutMs, folder, environment } = options;
  try {
    const { stdout } = await execute(command, args, {
      cwd: folder,
      env: { ...process.env, ...environment },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  } catch (cause) {
    throw new Error(`${command} ${reasonOf({ cause, timeoutMs })}`, { cause });
  }
}

function reasonOf({ cause, timeoutMs }: { cause: unknown; timeoutMs: number }): string {
  const { code, killed, stderr } = cause as {
    code?: string | number;
    killed?: boolean;
    stderr?: string;
  };
  if (code === 'ENOENT') return 'is not installed';
  if (killed) return `took longer than ${timeoutMs / 1000} s`;
  const line = stderr?.trim().split('\n').at(-1);
  return line ? `failed: ${line}` : `failed (${code})`;
}
