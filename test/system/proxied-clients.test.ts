import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HttpProxy, startHttpProxy } from '@assay/testing/http-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../cli/test/command.ts';
import { createProjectIn, noTrace, resultOf, script } from './client-scripts.ts';
import { type Clients, hasPython, installClients, type Language } from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';

/** Clients in a company, which reach the server through its proxy alone. */
const withPython = (await hasPython()) || Boolean(process.env.CI);
const languages: Language[] = withPython ? ['TypeScript', 'Python'] : ['TypeScript'];

let assay: SharedInstallation;
let clients: Clients;
let proxy: HttpProxy;
let outside: string;

beforeAll(async () => {
  assay = await shareInstallation();
  clients = await installClients({ url: assay.url, key: assay.key, languages });
  proxy = await startHttpProxy();
  outside = `http://assay.example.test:${new URL(assay.url).port}`;
});
afterAll(async () => {
  await proxy.stop();
  await clients[Symbol.asyncDispose]();
});

const throughProxy = (name = 'HTTP_PROXY', user = '') => ({
  ASSAY_URL: outside,
  [name]: `http://${user}127.0.0.1:${proxy.port}`,
});

const ask = (args: string[], environment: Record<string, string>) =>
  runAssay(args, {
    folder: clients.folder,
    environment: { ASSAY_API_KEY: assay.key, XDG_CONFIG_HOME: clients.folder, ...environment },
  });

test.each(languages)('evaluate in %s reaches a server through the proxy', async (language) => {
  const name = `${language} proxied`;
  await createProjectIn(assay, name);
  proxy.seen.length = 0;
  const end = await clients.run(language, script(language, name, {}), throughProxy());
  expect([end.code, resultOf(end)], end.stderr).toEqual([0, '["passed",0,24,0]']);
  expect(proxy.seen).toContainEqual(`GET ${outside}/v2/me`);
  expect(proxy.seen.some((line) => line.endsWith('/events'))).toBe(true);
});

test.each(['HTTP_PROXY', 'http_proxy'])('the command reaches a server by %s', async (name) => {
  const project = await createProjectIn(assay, `Command by ${name}`);
  proxy.seen.length = 0;
  const of = ['runs', '--project', project.id];
  const runs = await ask(of, throughProxy(name, 'me:secret-password@'));
  expect([runs.exitCode, runs.stderr]).toEqual([0, expect.stringContaining('No run of')]);
  expect(proxy.seen.length).toBeGreaterThan(0);
  expect(proxy.credentials.at(-1)).toBe(`Basic ${btoa('me:secret-password')}`);
});

test('the command reaches what NO_PROXY names directly', async () => {
  proxy.seen.length = 0;
  const end = await ask(['runs'], { ...throughProxy(), NO_PROXY: '.example.test' });
  expect(end.exitCode).toBe(2);
  expect(end.stderr).toContain('assay.example.test');
  expect(proxy.seen).toEqual([]);
});

test('a proxy that refuses the tunnel is asked once each time, and its answer is told', async () => {
  const refusing = createServer();
  let asked = 0;
  refusing.on('connect', (_incoming, socket) => {
    asked += 1;
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
  });
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  const { port } = refusing.address() as AddressInfo;
  const { exitCode, stderr } = await ask(['runs'], {
    ASSAY_URL: 'https://assay.example.test',
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
  });
  refusing.closeAllConnections();
  refusing.close();
  expect(exitCode).toBe(2);
  expect(stderr).toContain('407');
  expect(stderr).toContain('put a user and a password into its URL');
  // As often as the command tries in three seconds, with pauses between.
  expect(asked).toBeLessThan(20);
});

test('a proxy that closes a tunnel without an answer ends the request', async () => {
  const closing = createServer();
  closing.on('connect', (_incoming, socket) => socket.destroy());
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const { port } = closing.address() as AddressInfo;
  const { exitCode, stderr } = await ask(['runs'], {
    ASSAY_URL: 'https://assay.example.test',
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
  });
  closing.close();
  expect(exitCode).toBe(2);
  expect(stderr).toContain('the proxy closed the connection');
});

test('a variable that names no proxy, and a proxy that is away, are told in a sentence without its password', async () => {
  const wrong = { ASSAY_URL: outside, HTTP_PROXY: 'socks5://me:secret-password@proxy:1080' };
  const sentence =
    'HTTP_PROXY must be the URL of an HTTP proxy, such as http://proxy.example.com:3128.\n';
  const command = await ask(['runs'], wrong);
  expect([command.exitCode, command.stderr]).toEqual([2, sentence]);
  const code = script('TypeScript', 'Any', {});
  const evaluation = await clients.run('TypeScript', code, wrong);
  expect([evaluation.code, evaluation.stderr]).toEqual([2, sentence]);

  const away = { ASSAY_URL: outside, HTTP_PROXY: 'http://me:secret-password@127.0.0.1:9' };
  for (const { stderr } of [
    await ask(['runs'], away),
    await clients.run('TypeScript', code, away),
  ]) {
    expect(stderr).toContain('by the proxy 127.0.0.1:9: connect ECONNREFUSED');
    expect(stderr).not.toContain('secret-password');
    expect(stderr).toMatch(noTrace);
  }
});
