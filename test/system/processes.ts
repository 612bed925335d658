import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A service or gateway in a process of its own, from the built code. */
export interface ServiceProcess {
  name: string;
  url: string;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts `npm run service -- <name>`'s program and waits until it says that it is ready. */
export async function startProcess(name: string, environment: Record<string, string>): Promise<ServiceProcess> {
  const program = name === 'gateway' ? 'gateway/dist/main.js' : `services/${name}/dist/main.js`;
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program], { cwd: root, env: { PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const exited = once(child, 'exit');
  const url = await Promise.race([
    readyUrl(child),
    exited.then(() => {
      throw new Error(`${name} ended before it was ready: ${complaint}`);
    }),
  ]);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return { name, url, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

async function readyUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
    if (msg === 'ready') {
      child.stdout!.resume();
      return url!;
    }
  }
  throw new Error('the process said no address');
}
