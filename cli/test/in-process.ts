import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createClient } from '@assay/client/client';
import { runAssay } from '../src/assay.ts';
import type { Connection, Server } from '../src/connection.ts';
import { createTerminal } from '../src/terminal.ts';

/** The end of `assay`, and its output. */
export interface CommandResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command at a server by the code behind the program, in this process: another one takes half
 * a second more. For commands that read and write neither the environment nor the folder they are in.
 */
export async function runInProcess(
  args: string[],
  { url, key }: { url: string; key: string },
): Promise<CommandResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const terminal = createTerminal({ stdout, stderr } as unknown as typeof process);
  const exitCodeBefore = process.exitCode;
  process.exitCode = 0;
  try {
    const connectionOf = () => connectionTo({ url: `${url}/v2`, key, source: 'ASSAY_API_KEY' });
    await runAssay(args, { terminal, connectionOf });
    stdout.end();
    stderr.end();
    const [written, said] = await outputs;
    return { exitCode: Number(process.exitCode), stdout: written, stderr: said };
  } finally {
    process.exitCode = exitCodeBefore;
  }
}

/**
 * The same with the `assay.yaml` of a folder, for commands that need nothing else of the folder that
 * they are in: paths of its files are as one in the folder sees them.
 */
export async function runInFolder(
  args: string[],
  { folder, ...server }: { folder: string; url: string; key: string },
): Promise<CommandResult> {
  const result = await runInProcess([...args, '--file', join(folder, 'assay.yaml')], server);
  const asInFolder = (text: string) => text.replaceAll(join(folder, '/'), '');
  const { exitCode, stdout, stderr } = result;
  return { exitCode, stdout: asInFolder(stdout), stderr: asInFolder(stderr) };
}

function connectionTo(server: Server): Connection {
  const client = createClient(server);
  return {
    credentials: { file: '', read: async () => ({ servers: {} }) } as never,
    findUrl: async () => server.url,
    findServer: async () => server,
    connect: async () => ({ client, server }),
    clientOf: () => client,
    patientClientOf: () => client,
    lastUrl: () => server.url,
  };
}
