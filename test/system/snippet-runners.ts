import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** Runs code of the documentation in one language, a piece at a time. */
export interface SnippetRunner extends AsyncDisposable {
  /** Returns what the code printed. @throws Error with what it printed as its failure. */
  run(code: string): Promise<string>;
}

interface Environment {
  ASSAY_API_KEY: string;
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...parameters: string[]
) => (...values: unknown[]) => Promise<void>;

/** Reads a piece of TypeScript that has no types, as all of the documentation. @throws SyntaxError */
export const readTypeScript = (code: string) => new AsyncFunction('process', 'console', code);

/** Runs TypeScript in this process. */
export function startTypeScript(environment: Environment): SnippetRunner {
  return {
    run: async (code) => {
      let printed = '';
      const write = (text: string | Uint8Array) => {
        printed += typeof text === 'string' ? text : Buffer.from(text).toString();
      };
      await readTypeScript(code)(
        { env: environment, stdout: { write } },
        { log: (value: unknown) => write(JSON.stringify(value)) },
      );
      return printed;
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Runs commands in one shell, in which a status of failure is one of curl, too. */
export const startShell = (environment: Environment): SnippetRunner =>
  startLoop(
    spawn('bash', ['-c', shellLoop], {
      env: { PATH: process.env.PATH, ...environment },
    }),
  );

/** Ends what each piece printed by its status and a NUL. */
const shellLoop = `curl() { command curl --fail-with-body "$@"; }
while IFS= read -r -d '' code; do eval "$code" 2>&1; printf '\\n%s\\0' $?; done`;

/** Runs Python in one process. */
export const startPython = (environment: Environment): SnippetRunner =>
  startLoop(
    spawn('python3', ['-c', pythonLoop], { env: { PATH: process.env.PATH, ...environment } }),
  );

const pythonLoop = `
import io, sys, traceback, urllib.error
from contextlib import redirect_stdout
pieces = iter(lambda: sys.stdin.buffer.read(1), b"")
code = b""
for byte in pieces:
    if byte != b"\\0":
        code += byte
        continue
    printed, status = io.StringIO(), 0
    try:
        with redirect_stdout(printed):
            exec(compile(code, "snippet", "exec"), {})
    except urllib.error.HTTPError as error:
        status = 1
        printed.write(error.read().decode())
    except Exception:
        status = 1
        printed.write(traceback.format_exc())
    code = b""
    sys.stdout.write(printed.getvalue() + "\\n" + str(status) + "\\0")
    sys.stdout.flush()
`;

function startLoop(child: ChildProcessWithoutNullStreams): SnippetRunner {
  const outputs = piecesOf(child.stdout);
  const ended = once(child, 'close');
  return {
    run: async (code) => {
      child.stdin.write(`${code}\0`);
      const { value, done } = await outputs.next();
      if (done) throw new Error('The process ended.');
      const [, output, status] = /^([\s\S]*)\n(\d+)$/.exec(value)!;
      if (status !== '0') throw new Error(output);
      return output!;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

async function* piecesOf(stream: Readable): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const pieces = (rest + chunk).split('\0');
    rest = pieces.pop()!;
    yield* pieces;
  }
}
