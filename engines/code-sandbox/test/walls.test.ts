import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { findWall } from '../bubblewrap.ts';
import { type Launch, startChild } from '../child.ts';
import { javascriptLaunch } from '../javascript.ts';
import { bubblewrapPath, withoutPython } from './setting.ts';

/**
 * What somebody could do who has left QuickJS and WebAssembly: this program runs in place of ours,
 * as that process is started.
 */
async function inPlace(launch: Launch, program: string): Promise<Record<string, unknown>> {
  const child = startChild({
    launch: { ...launch, args: launch.args.with(-1, program) },
    lineBytesMax: 100_000,
  });
  onTestFinished(() => child.kill());
  const line = await child.read();
  return 'text' in line ? JSON.parse(line.text) : line;
}

const tryAll = (port: number) => `
const attempts = {
  passwords: async () => (await import('node:fs')).readFileSync('/etc/passwd', 'utf8').length,
  folder: async () => (await import('node:fs')).readdirSync(process.cwd()),
  file: async () => (await import('node:fs')).writeFileSync('/tmp/assay-escaped', '1'),
  program: async () => (await import('node:child_process')).execFileSync(process.execPath, ['--version']).length,
  worker: async () => new (await import('node:worker_threads')).Worker('1', { eval: true }).threadId,
  addon: async () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6'),
  evaluation: async () => eval('1'),
  network: async () => {
    const { connect } = await import('node:net');
    await new Promise((resolve, reject) => connect(${port}, '127.0.0.1', resolve).on('error', reject));
    return 'connected';
  },
};
const found = { environment: Object.keys(process.env).filter((name) => name !== 'PWD') };
for (const [name, attempt] of Object.entries(attempts)) found[name] = await attempt().catch((error) => error.code ?? error.name);
process.stdout.write(JSON.stringify(found) + '\\n');
`;

async function listen(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const refusedByNode = {
  environment: [],
  passwords: 'ERR_ACCESS_DENIED',
  folder: 'ERR_ACCESS_DENIED',
  file: 'ERR_ACCESS_DENIED',
  program: 'ERR_ACCESS_DENIED',
  worker: 'ERR_ACCESS_DENIED',
  addon: expect.stringMatching(/^ERR_/),
  evaluation: 'EvalError',
};

test("Node's permissions refuse files, programs, threads and the environment to whoever has left QuickJS", async () => {
  expect(
    await inPlace(await javascriptLaunch({ wall: undefined }), tryAll(await listen())),
  ).toMatchObject(refusedByNode);
});

test.skipIf(withoutPython)(
  'behind bubblewrap there is no network either, and nothing to read where Node would let it',
  async () => {
    const walled = await findWall({ bubblewrapPath });
    if (!('wall' in walled)) throw new Error(walled.reason);
    const launch = await javascriptLaunch(walled);
    expect(await inPlace(launch, tryAll(await listen()))).toMatchObject({
      ...refusedByNode,
      network: expect.stringMatching(/^E(PERM|NETUNREACH|CONNREFUSED)$/),
    });
    const args = launch.args.filter(
      (argument) => !/^--(experimental-)?permission$|^--allow-/.test(argument),
    );
    expect(await inPlace({ ...launch, args }, tryAll(await listen()))).toMatchObject({
      environment: [],
      passwords: 'ENOENT',
      folder: [],
      file: expect.stringMatching(/^E/),
      program: expect.stringMatching(/^E(PERM|AGAIN)$/),
      network: expect.stringMatching(/^E/),
    });
  },
);
