import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import type { System } from '@assay/sdk/evaluation';
import { asReaderOfJson } from '@assay/sdk/exact-numbers';

interface Waiting {
  resolve: (outputs: unknown) => void;
  reject: (error: Error) => void;
}

interface Program {
  child: ChildProcessWithoutNullStreams;
  waiting: Map<number, Waiting>;
}

/** Why a program gave no answer: in its own words, where it has some. */
class SystemFailure extends Error {
  override name = 'SystemFailure';
  /** The HTTP status of its provider, as 429 for a limit. */
  readonly status?: unknown;
  readonly headers?: object;

  constructor(said: unknown) {
    super(typeof said === 'string' ? said : messageOf(said));
    const { name, status, retryAfter } = (said ?? {}) as Record<string, unknown>;
    if (typeof name === 'string' && name !== '') this.name = name;
    // Where this process reads the answer tells nothing about the program.
    this.stack = `${this.name}: ${this.message}`;
    this.status = status;
    if (typeof retryAfter === 'number') this.headers = { 'retry-after': String(retryAfter) };
  }
}

function messageOf(said: unknown): string {
  const { message } = (said ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : (JSON.stringify(said) ?? 'The command failed.');
}

/**
 * A system that is a program: a process that is kept, a line of JSON for each call, `{ id, inputs }`,
 * and one for its answer, `{ id, outputs }` or `{ id, error }`, in any order. An error is a text, or
 * `{ name?, message, status?, retryAfter? }`, of an HTTP status and seconds. Its standard error is
 * shown. Calls that are under way when it ends fail; the next call starts it again.
 */
export function commandSystem({
  command,
  folder,
  say,
}: {
  command: string | string[];
  folder: string;
  say: (sentence: string) => void;
}): { system: System; stop(): void } {
  let program: Program | undefined;
  let calls = 0;

  function start(): Program {
    const options = { cwd: folder, stdio: 'pipe' as const, detached: true };
    const child =
      typeof command === 'string'
        ? spawn(command, { ...options, shell: true })
        : spawn(command[0]!, command.slice(1), options);
    const started: Program = { child, waiting: new Map() };
    createInterface(child.stderr).on('line', say);
    createInterface(child.stdout).on('line', (line) => answer(started, line));
    // Its end is told by `close`.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => end(started, `The command cannot be started: ${error.message}`));
    child.on('close', (code, signal) =>
      end(started, `The command ended with ${signal ?? `exit code ${code}`} before it answered.`),
    );
    return started;
  }

  function answer({ waiting }: Program, line: string): void {
    if (line.trim() === '') return;
    const reply = read(line);
    const call = typeof reply?.id === 'number' ? waiting.get(reply.id) : undefined;
    if (!reply || !call) {
      say(
        `This line of the command is no answer to a call, { "id", "outputs" }: ${line.slice(0, 200)}`,
      );
      return;
    }
    waiting.delete(reply.id as number);
    if (reply.error === undefined) call.resolve(reply.outputs);
    else call.reject(new SystemFailure(reply.error));
  }

  function end(ended: Program, reason: string): void {
    if (program === ended) program = undefined;
    if (ended.waiting.size > 0) say(`${reason} It is started again for the next call.`);
    for (const { reject } of ended.waiting.values()) reject(new SystemFailure(reason));
    ended.waiting.clear();
  }

  const call: System = (inputs, { signal }) =>
    new Promise((resolve, reject) => {
      program ??= start();
      const { child, waiting } = program;
      const id = ++calls;
      waiting.set(id, { resolve, reject });
      // The time is over: a late answer is no answer to a call any more.
      signal.addEventListener('abort', () => waiting.delete(id), { once: true });
      child.stdin.write(`${writeJson({ id, inputs })}\n`);
    });

  function stop(): void {
    const { pid } = program?.child ?? {};
    program?.waiting.clear();
    if (pid === undefined) return;
    try {
      // With all that a shell started.
      process.kill(-pid, 'SIGTERM');
    } catch {
      // It has ended already.
    }
  }
  return { system: asReaderOfJson(call), stop };
}

function read(line: string): { id?: unknown; outputs?: unknown; error?: unknown } | undefined {
  try {
    // Programs of .NET and PowerShell begin their output with a byte order mark.
    const value = parseByValue(line.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
