import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@assay/client/client';
import { sharedInThread } from '@assay/testing/thread';
import { Command } from 'commander';
import { expect } from 'vitest';
import { addPush } from '../src/commands/push.ts';
import type { Connection } from '../src/connection.ts';
import type { Terminal } from '../src/terminal.ts';
import { runAssay } from './command.ts';

const templateName = 'The example of init';

/** A folder with what `assay init` writes. */
const template = sharedInThread(
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-init-'));
    const { exitCode, stderr } = await runAssay(['init', '--project', templateName], { folder });
    expect(exitCode, stderr).toBe(0);
    return folder;
  },
  (folder) => rm(folder, { recursive: true }),
);

/**
 * Writes the files of `assay init` into a folder, for a project of this name, and pushes them by
 * the code behind the command. Two processes for each test would take longer than most tests do.
 */
export async function pushProject({
  url,
  key,
  folder,
  name,
}: {
  url: string;
  key: string;
  folder: string;
  name: string;
}): Promise<void> {
  await cp(await template(), folder, { recursive: true });
  const file = join(folder, 'assay.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(JSON.stringify(templateName), JSON.stringify(name)));
  const server = { url: `${url}/v2`, key };
  const client = createClient(server);
  const program = addedTo(new Command(), {
    connect: async () => ({ client, server: { ...server, source: 'ASSAY_API_KEY' } }),
    patientClientOf: () => client,
  });
  await program.parseAsync(['push', '--file', file, '--create-project'], { from: 'user' });
}

function addedTo(
  program: Command,
  connection: Pick<Connection, 'connect' | 'patientClientOf'>,
): Command {
  const terminal: Pick<Terminal, 'print' | 'progress' | 'say'> = {
    print: async () => undefined,
    progress: () => undefined,
    say: () => undefined,
  };
  addPush(program, { terminal: terminal as Terminal, connection: connection as Connection });
  return program;
}
