import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { testConfig } from '@assay/testing/config';

/** A service or gateway in a process of its own, from its bundle. */
export interface ServiceProcess {
  name: string;
  url: string;
  pid: number;
  /** The warnings and errors of its log so far, a line each. */
  complaints: string[];
  /** The code with which it ended; null while it runs, and after a signal. */
  exitCode(): number | null;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What a process is told of the installation that a test is: identity the operator's secret
 * besides.
 */
export const environmentOf = (
  config: ReturnType<typeof testConfig>,
  name: string,
): Record<string, string> => ({
  MONGODB_URI: config.MONGODB_URI,
  NATS_URL: config.NATS_URL.join(','),
  ASSAY_KEYS_FOLDER: config.ASSAY_KEYS_FOLDER!,
  SUBJECT_PREFIX: config.SUBJECT_PREFIX,
  DATABASE_PREFIX: config.DATABASE_PREFIX,
  ...(name === 'identity' ? { ASSAY_OPERATOR_SECRET: config.ASSAY_OPERATOR_SECRET } : {}),
});

/**
 * Starts `npm run service -- <name>`'s program, or another one, and waits until it says that it is
 * ready.
 */
export async function startProcess(
  name: string,
  environment: Record<string, string>,
  {
    folder = root,
    program = `dist/bundle/${name}.js`,
    onCrash,
  }: {
    folder?: string;
    program?: string;
    /** Called with the reason where it ends and nobody has ended it. */
    onCrash?: (reason: string) => void;
  } = {},
): Promise<ServiceProcess> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const exited = once(child, 'exit');
  const complaints: string[] = [];
  const url = await readyUrl(child, complaints);
  if (url === undefined) {
    await exited;
    throw new Error(`${name} ended before it was ready: ${complaint}`);
  }
  let isEnded = false;
  void exited.then(([code, signal]) => {
    if (!isEnded)
      onCrash?.(
        `${name} ended by itself (${code ?? signal}): ${[...complaints.slice(-5), complaint].join('\n')}`,
      );
  });
  const end = async (signal: NodeJS.Signals) => {
    isEnded = true;
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return {
    name,
    url,
    pid: child.pid!,
    complaints,
    exitCode: () => child.exitCode,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** The levels of a log line about something that is wrong. */
const complaining = new Set(['warn', 'error', 'fatal']);

/** Undefined when it ended before. */
function readyUrl(child: ChildProcess, complaints: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: child.stdout! });
    lines.on('line', (line) => {
      const { level, msg, url } = JSON.parse(line) as { level: string; msg: string; url?: string };
      if (msg === 'ready') resolve(url);
      if (complaining.has(level)) complaints.push(line);
    });
    lines.on('close', () => resolve(undefined));
  });
}
