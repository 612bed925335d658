import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@assay/client/client';
import { poll } from '@assay/testing/poll';
import { expect } from 'vitest';
import { type CommandResult, runInProcess } from './in-process.ts';

const program = fileURLToPath(new URL('../../dist/bundle/assay.js', import.meta.url));

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

/** Waits until a run has all its records and scores. */
export const awaitCompletion = (client: Client, runId: string): Promise<unknown> =>
  poll(
    'the run is complete',
    async () =>
      (await client.request('GET', '/runs/:runId', { params: { runId } })).status === 'completed',
  );

/** Sends records of a run, each a line of JSON, in one request. */
export async function sendRecords(client: Client, runId: string, lines: string[]): Promise<void> {
  const replies = await client.sendLines('POST', '/runs/:runId/records/bulk', lines, {
    params: { runId },
  });
  expect(replies.filter(({ status }) => status !== 201)).toEqual([]);
}

/** Commands at an installation with its key in the environment, and what a test makes there by itself. */
export function commandsAt({ url, key, folder }: { url: string; key: string; folder: string }) {
  const client: Client = createClient({ url: `${url}/v2`, key });
  const ask = (...args: string[]) =>
    runAssay(args, {
      folder,
      environment: { ASSAY_URL: url, ASSAY_API_KEY: key, XDG_CONFIG_HOME: folder },
    });
  const askInProcess = (...args: string[]) => runInProcess(args, { url, key });
  return {
    client,
    ask,
    askInProcess,
    /** The JSON of a command that ends well, without a process. */
    async askJson(...args: string[]) {
      const result = await askInProcess(...args, '--json');
      expect(result.exitCode, result.stderr).toBe(0);
      return JSON.parse(result.stdout);
    },
    create: async (path: string, body: unknown): Promise<string> =>
      (await client.request('POST', path as '/projects', { body: body as never })).id,
  };
}
