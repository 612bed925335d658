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
