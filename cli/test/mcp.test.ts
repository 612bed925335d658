import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { runAssay } from './command.ts';

const program = fileURLToPath(new URL('../../dist/bundle/assay.js', import.meta.url));
let assay: SharedInstallation;
let folder: string;

beforeAll(async () => {
  assay = await shareInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-mcp-'));
  const login = await runAssay(['login', assay.url, '--key', '-'], {
    environment: { XDG_CONFIG_HOME: folder },
    input: assay.key,
  });
  expect(login.exitCode, login.stderr).toBe(0);
});
afterAll(() => rm(folder, { recursive: true }));

async function connect(args: string[] = [], mode: 'legacy' | 'auto' = 'legacy') {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', ...args],
      env: { XDG_CONFIG_HOME: folder },
    }),
  );
  return client;
}

test.each(['legacy', 'auto'] as const)(
  'an agent of the %s protocol is served over stdio with the stored key',
  async (mode) => {
    const client = await connect([], mode);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(14);
    const { structuredContent } = await client.callTool({ name: 'overview', arguments: {} });
    expect(structuredContent).toMatchObject({ organization: 'My organization' });
    await client.close();
  },
);

test('--read-only leaves the tools that write out', async () => {
  const client = await connect(['--read-only']);
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('save_metric');
  await client.close();
});

const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

test('the end of the input ends it, after what was asked is answered', async () => {
  const { exitCode, stdout, stderr } = await runAssay(['mcp'], {
    environment: { XDG_CONFIG_HOME: folder },
    input: `${ping(1)}\nno message\n\n${ping(2)}\n`,
  });
  const replies = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    replies
      .filter(({ result }) => result)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([1, 2]);
  expect(replies.find(({ error }) => error)).toMatchObject({ id: null, error: { code: -32_700 } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

test('a key that is wrong, and a server that is not there, are sentences to the agent', async () => {
  const ask = async (environment: Record<string, string>) => {
    const { stdout } = await runAssay(['mcp'], { environment, input: `${ping(7)}\n` });
    return JSON.parse(stdout);
  };
  expect(await ask({ ASSAY_URL: assay.url, ASSAY_API_KEY: `ak_${'x'.repeat(40)}` })).toMatchObject({
    id: 7,
    error: { message: 'The API key is invalid.' },
  });
  const nowhere = 'http://127.0.0.1:9';
  expect(await ask({ ASSAY_URL: nowhere, ASSAY_API_KEY: 'ak_x' })).toMatchObject({
    id: 7,
    error: { message: expect.stringContaining(`Assay is not reached at ${nowhere}/mcp`) },
  });
});

test('without a key it says how to log in', async () => {
  const { exitCode, stderr } = await runAssay(['mcp'], {
    environment: { XDG_CONFIG_HOME: join(folder, 'empty') },
  });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('assay login');
});
