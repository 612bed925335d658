import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { apiKey } from '@assay/client/address';
import type { Caller } from '@assay/contracts/identity';
import type { Command } from 'commander';
import { consoleUrl } from '../connection.ts';
import { CommandFailure, UsageFailure } from '../failure.ts';
import { type Context, type ServerOptions, withServer } from '../options.ts';

/** `assay login`, `whoami` and `logout`. */
export function addAccount(program: Command, { terminal, connection }: Context): void {
  const { credentials } = connection;

  program
    .command('login')
    .description('Store the key for a server, and use this server from now on.')
    .argument('[url]', 'where Assay is (default: ASSAY_URL, else the last login)')
    .option('--key <->', 'read the key from standard input: --key -')
    .option('--key-file <file>', 'read the key from a file')
    .option('--json', 'print { url, organization, member, role, key } as JSON')
    .addHelpText(
      'after',
      `
Make a key in the console, Settings, Keys. It is stored in ${credentials.file}, which only you can read.

  assay login https://assay.example.com --key - < key.txt`,
    )
    .action(async (given: string | undefined, options: LoginOptions) => {
      const url = await connection.findUrl(given);
      const key = await readKey(options);
      const caller = await connection.clientOf({ url, key }).request<Caller>('GET', '/me');
      await credentials.keep(url, key);
      terminal.say(`Logged in to ${consoleUrl(url)}: ${sentenceOf(caller)}.`);
      if (options.json) await terminal.printJson(documentOf(url, caller));
    });

  async function readKey({ key, keyFile }: LoginOptions): Promise<string> {
    if (key !== undefined && key !== '-')
      throw new UsageFailure(
        'Error: others on the machine see arguments. Give the key on standard input: --key -',
      );
    if ((key === undefined) === (keyFile === undefined))
      throw new UsageFailure(
        'Error: give the key with --key - (from standard input) or with --key-file FILE. Make one in the console, Settings, Keys.',
      );
    if (keyFile === undefined && process.stdin.isTTY)
      terminal.say('Paste the key, then press Enter and Ctrl-D.');
    const text = keyFile ? await readFile(keyFile, 'utf8') : await textOf(process.stdin);
    try {
      return apiKey(text);
    } catch (error) {
      throw new CommandFailure(
        `What was read is no key: ${(error as Error).message} Make one in the console, Settings, Keys.`,
      );
    }
  }

  withServer(
    program
      .command('whoami')
      .description('Say whose key is used, at which server, in which organization.'),
    '{ url, organization, member, role, key, source } as JSON',
  ).action(async ({ url: given, json }: ServerOptions) => {
    const { client, server } = await connection.connect(given);
    const caller = await client.request<Caller>('GET', '/me');
    const { url, source } = server;
    if (json) return terminal.printJson({ ...documentOf(url, caller), source });
    const origin = source === 'login' ? credentials.file : source;
    await terminal.print([
      `${sentenceOf(caller)}, at ${consoleUrl(url)}`,
      ...(caller.key ? [`Key ${caller.key.prefix}… "${caller.key.name}", from ${origin}`] : []),
    ]);
  });

  program
    .command('logout')
    .description('Forget the stored key of a server. The key itself stays valid.')
    .argument('[url]', 'the server (default: ASSAY_URL, else the last login)')
    .option('--json', 'print { url, wasLoggedIn } as JSON')
    .action(async (given: string | undefined, { json }: ServerOptions) => {
      const url = await connection.findUrl(given);
      const wasLoggedIn = await credentials.forget(url);
      terminal.say(
        wasLoggedIn
          ? `The key for ${consoleUrl(url)} is forgotten here. To end it everywhere, revoke it in the console, Settings, Keys.`
          : `No key is stored for ${consoleUrl(url)}.`,
      );
      if (json) await terminal.printJson({ url, wasLoggedIn });
    });
}

interface LoginOptions {
  key?: string;
  keyFile?: string;
  json?: true;
}

const sentenceOf = ({ member, organization, role }: Caller): string =>
  `${member.name ?? member.email}, ${role} of ${organization.name}`;

const documentOf = (url: string, { member, organization, role, key }: Caller) => ({
  url,
  organization: { id: organization.id, name: organization.name },
  member: { userId: member.userId, email: member.email, name: member.name },
  role,
  key: key && { id: key.id, name: key.name, prefix: key.prefix, expiresAt: key.expiresAt },
});
