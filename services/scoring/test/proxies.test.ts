import { type HttpProxy, startHttpProxy } from '@assay/testing/http-proxy';
import { afterEach, describe, expect, test } from 'vitest';
import type { Resolve } from '../src/judges/addresses.ts';
import { question, startJudges, verdict } from './judges-setting.ts';
import { say, startMockProviders } from './mock-providers.ts';

const proxies: HttpProxy[] = [];
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())));

async function startProxy() {
  const proxy = await startHttpProxy();
  proxies.push(proxy);
  return proxy;
}

/** What a name server behind a corporate proxy knows of the outside. */
const unknown = ((_name: string, _options: object, callback: (error: Error) => void) =>
  callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))) as never;
const at = (address: string) =>
  ((_name: string, _options: object, callback: (error: null, found: object[]) => void) =>
    callback(null, [{ address, family: 4 }])) as never;

/** Judges whose compatible provider is at a host that only the proxy reaches. */
async function startBehind(
  proxy: { port: number },
  environment: Record<string, string> = {},
  { host = 'judge.example', resolve = unknown as Resolve } = {},
) {
  const port = await startMockProviders(() => say(verdict)).then(async (mock) => {
    await mock.stop();
    return mock.port;
  });
  const started = await startJudges({
    answer: () => say(verdict),
    port,
    environment: {
      COMPATIBLE_BASE_URL: `http://${host}:${port}/compatible/v1`,
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
      ...environment,
    },
    resolve,
  });
  return { ...started, port };
}

describe('behind a proxy', () => {
  test('a judge is asked through it, also where its name cannot be resolved here', async () => {
    const proxy = await startProxy();
    const { judges, port } = await startBehind(proxy);
    expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true, attempts: 1 });
    expect(proxy.seen).toEqual([
      `POST http://judge.example:${port}/compatible/v1/chat/completions`,
    ]);
  });

  test('HTTPS is tunnelled through the proxy of HTTPS', async () => {
    const [plain, tunnel] = [await startProxy(), await startProxy()];
    const { judges } = await startBehind(plain, {
      COMPATIBLE_BASE_URL: 'https://judge.example:8443/v1',
      HTTPS_PROXY: `127.0.0.1:${tunnel.port}`,
    });
    // Nothing speaks TLS at the other end: the tunnel alone is of interest.
    await judges.ask(question('compatible/m'));
    expect(tunnel.seen[0]).toBe('CONNECT judge.example:8443');
    expect(plain.seen).toEqual([]);
  });

  test('the proxy is told its credentials, and messages are not', async () => {
    const proxy = await startProxy();
    const { judges, mock } = await startBehind(proxy, {
      HTTP_PROXY: `http://me:secret-password@127.0.0.1:${proxy.port}`,
    });
    expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
    expect(proxy.credentials[0]).toBe(
      `Basic ${Buffer.from('me:secret-password').toString('base64')}`,
    );
    expect(JSON.stringify(mock.calls.map(({ headers }) => headers))).not.toContain(
      'secret-password',
    );
  });

  test.each(['judge.example', '.example', '*.example', 'other.test, EXAMPLE', '*'])(
    'NO_PROXY=%s reaches the judge directly',
    async (exempt) => {
      const proxy = await startProxy();
      const { judges } = await startBehind(
        proxy,
        { NO_PROXY: exempt, JUDGE_PRIVATE_HOSTS: 'judge.example' },
        { resolve: at('127.0.0.1') },
      );
      expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
      expect(proxy.seen).toEqual([]);
    },
  );

  test.each(['example.judge', 'xample', 'judge.example:1', ''])(
    'NO_PROXY=%s exempts other hosts',
    async (exempt) => {
      const proxy = await startProxy();
      const { judges } = await startBehind(proxy, { NO_PROXY: exempt });
      expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
      expect(proxy.seen).toHaveLength(1);
    },
  );

  test.each(['127.0.0.1', 'localhost'])('%s is reached directly', async (host) => {
    const proxy = await startProxy();
    const { judges } = await startBehind(proxy, {}, { host, resolve: at('127.0.0.1') });
    expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
    expect(proxy.seen).toEqual([]);
  });

  test.each(['10.0.0.1', '169.254.169.254'])(
    'a name that leads to %s is refused, and the proxy is asked nothing',
    async (address) => {
      const proxy = await startProxy();
      const { judges } = await startBehind(proxy, {}, { resolve: at(address) });
      expect(await judges.ask(question('compatible/m'))).toMatchObject({
        ok: false,
        message: expect.stringContaining(address),
        attempts: 1,
      });
      expect(proxy.seen).toEqual([]);
    },
  );

  test('a URL that is no proxy of HTTP is refused at the start, by its name', async () => {
    await expect(
      startBehind({ port: 1 }, { HTTP_PROXY: 'socks5://127.0.0.1:1080' }),
    ).rejects.toThrow(/HTTP_PROXY.*must be the URL of an HTTP proxy/s);
  });
});
