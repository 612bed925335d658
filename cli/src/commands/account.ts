import { text as textOf } from 'node:stream/consumers';
import { apiKey } from '@assay/client/address';
import { type Client, RequestFailure } from '@assay/client/client';
import type { Caller } from '@assay/contracts/identity';
import { readTextFile } from '@assay/sdk/text-file';
import type { Command } from 'commander';
import { consoleUrl } from '../connection.ts';
import { logInByCode } from '../device-login.ts';
import { CommandFailure, UsageFailure } from '../failure.ts';
import { type Context, type ServerOptions, withServer } from '../options.ts';

/** `assay login`, `whoami` and `logout`. */
export function addAccount(program: Command, { terminal, connection }: Context): void {
  const { credentials } = connection;

  program
    .command('login')
    .description(
      'Get a key for a server in the console, store it, and use this server from now on.',
    )
    .argument('[url]', 'where Assay is (default: ASSAY_URL, else the last login)')
    .option('--key <->', 'read a key from standard input in place of the console: --key -')
    .option('--key-file <file>', 'read a key from a file in place of the console')
    .option('--json', 'print { url, organization, member, role, key } as JSON')
    .addHelpText(
      'after',
      `
The console asks you to approve the login, and this computer gets a key of its own. It is stored in ${credentials.file}, which only you can read.

  assay login https://assay.example.com
  assay login https://assay.example.com --key - < key.txt`,
    )
    .action(async (given: string | undefined, options: LoginOptions) => {
      const url = await connection.findUrl(given);
      const isGiven = options.key !== undefined || options.keyFile !== undefined;
      const key = isGiven
        ? await readKey(options)
        : await logInByCode(connection.clientOf({ url }), { url, terminal });
      // A key that the server has just given would be lost if it went away now.
      if (!isGiven) await store(url, key);
      const caller = await connection.clientOf({ url, key }).request('GET', '/me');
      if (isGiven) await store(url, key);
      terminal.say(`Logged in to ${consoleUrl(url)}: ${sentenceOf(caller)}.`);
      if (options.json) await terminal.printJson(documentOf(url, caller));
    });

  /** Ends the key of the login before this one, which nothing here knows any more. */
  async function store(url: string, key: string): Promise<void> {
    const before = await credentials.keep(url, key);
    if (before !== undefined && before !== key)
      await revoke(connection.clientOf({ url, key: before }));
  }

  async function readKey({ key, keyFile }: LoginOptions): Promise<string> {
    if (key !== undefined && key !== '-')
      throw new UsageFailure(
        'Error: others on the machine see arguments. Give the key on standard input: --key -',
      );
    if (key !== undefined && keyFile !== undefined)
      throw new UsageFailure('Error: give the key with --key - or with --key-file FILE, not both.');
    if (keyFile === undefined && process.stdin.isTTY)
      terminal.say('Paste the key, then press Enter and Ctrl-D.');
    const text = keyFile ? await readTextFile(keyFile) : await textOf(process.stdin);
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
    const caller = await client.request('GET', '/me');
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
    .description('Forget the stored key of a server, and revoke it if `assay login` got it there.')
    .argument('[url]', 'the server (default: ASSAY_URL, else the last login)')
    .option('--json', 'print { url, wasLoggedIn, wasRevoked } as JSON')
    .action(async (given: string | undefined, { json }: ServerOptions) => {
      const url = await connection.findUrl(given);
      const key = await credentials.forget(url);
      const end = key === undefined ? undefined : await revoke(connection.clientOf({ url, key }));
      terminal.say(endSentences[end ?? 'none'](consoleUrl(url)));
      const wasRevoked = end === 'revoked';
      if (json) await terminal.printJson({ url, wasLoggedIn: key !== undefined, wasRevoked });
    });
}

/** The end of a key that is forgotten here: at the server, a key that somebody made goes on. */
type KeyEnd = 'revoked' | 'kept' | 'unreached';

async function revoke(client: Client): Promise<KeyEnd> {
  try {
    await client.request('DELETE', '/session/device');
    return 'revoked';
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    if (error.code === 'UNAUTHORIZED') return 'revoked';
    return error.code === 'NOT_FOUND' ? 'kept' : 'unreached';
  }
}

const endSentences: Record<KeyEnd | 'none', (address: string) => string> = {
  revoked: (address) => `Logged out of ${address}: the key is forgotten here, and is revoked.`,
  kept: (address) =>
    `The key for ${address} is forgotten here. To end it everywhere, revoke it in the console, Settings, Keys.`,
  unreached: (address) =>
    `The key for ${address} is forgotten here, but the server was not reached: revoke it in the console, Settings, Keys.`,
  none: (address) => `No key is stored for ${address}.`,
};

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
