import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '@assay/contracts/version';
import { readConfig } from '@assay/runtime/config';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GatewayConfig, gatewayConfig } from '../src/config.ts';
import { start } from '../src/gateway.ts';
import { type Setting, sendRaw, startSetting } from './setting.ts';

const html = `<!doctype html>
<html lang="en">
<meta name="public-path" content="" />
<link rel="icon" href="/assets/icon-1.svg" />
<script type="module" src="./assets/index-1.js"></script>
<a href="/assetsofothers/x">…</a>
<div id="console"></div>
</html>
`;
const script = `export const text = ${JSON.stringify('console '.repeat(1000))};\n`;

const compressScript = new URL('../../scripts/compress.mjs', import.meta.url).href;

let folder: string;
let setting: Setting;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), html);
  await writeFile(join(folder, 'secret.txt'), 'beside the page');
  await writeFile(
    join(folder, 'assets', 'icon-1.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
  );
  await writeFile(join(folder, 'assets', 'face-1.woff2'), 'letters');
  await writeFile(join(folder, 'assets', 'page-1.js'), script);
  const compressing = 'import(process.argv[1]).then((it) => it.compressFiles(process.argv[2]))';
  execFileSync(process.execPath, ['-e', compressing, compressScript, join(folder, 'assets')]);
  await writeFile(join(folder, 'assets', 'index-1.js'), script);
  setting = await startSetting({ CONSOLE_FOLDER: folder });
});
afterAll(async () => {
  await setting.stop();
  await rm(folder, { recursive: true });
});

/** As a browser opens a page, unless another `accept` is given. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return ask(setting, path, headers, method);
}

const ask = ({ gateway }: Setting, path: string, headers: Record<string, string>, method = 'GET') =>
  sendRaw(
    `${gateway.url}${path}`,
    { method, headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers } },
    (request) => request.end(),
  );

describe('the page of the console', () => {
  test('is what a browser gets at every path that nobody else answers', async () => {
    for (const path of [
      '/',
      '/login',
      '/projects/p/runs/r?tab=records',
      '/v2x',
      '/a.b',
      '/settings/',
    ]) {
      const page = await get(path);
      expect([path, page.status, page.headers['content-type']]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(page.text).toContain('<div id="console">');
      const head = await get(path, {}, 'HEAD');
      expect([head.status, head.text]).toEqual([200, '']);
    }
  });

  test('has the policy of the console, and no other reply has it', async () => {
    const policy = {
      'content-security-policy':
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data: blob:;font-src 'self';connect-src 'self';worker-src 'self';manifest-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types assay-worker",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    };
    for (const path of ['/', '/assets/index-1.js'])
      expect((await get(path)).headers).toMatchObject(policy);
    for (const path of ['/v2/projects', '/nothing', '/livez']) {
      const { headers } = await get(path, { accept: '*/*' });
      expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer' });
      expect(Object.keys(headers)).not.toContain('content-security-policy');
    }
    expect((await get('/docs/')).headers).toMatchObject({ 'referrer-policy': 'no-referrer' });
  });

  test('is asked for again each time, and not sent again while it is the same', async () => {
    const { headers } = await get('/projects');
    expect(headers['cache-control']).toBe('no-cache');
    for (const known of [headers.etag!, `"other", ${headers.etag}`]) {
      const again = await get('/', { 'if-none-match': known });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    }
    expect((await get('/', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('hides neither the API nor the other pages, whatever a browser accepts', async () => {
    for (const path of [
      '/v2',
      '/v2/',
      '/v2/nothing',
      '/api/v2/nothing',
      '/otel/v1/profiles',
      '/sdk/x',
      '/docs/nothing',
      '/assets',
      '/assets/gone-1.js',
      '/metrics/x',
      '/livez/x',
      '/readyz/x',
      '/healthz/x',
    ]) {
      const reply = await get(path);
      expect([path, reply.status, JSON.parse(reply.text).code]).toEqual([path, 404, 'NOT_FOUND']);
    }
    expect((await get('/v2/projects')).status).toBe(401);
    expect((await get('/livez')).text).toBe(`{"status":"alive","version":"${version}"}`);
    expect((await get('/docs/')).text).toContain('Assay documentation');
  });

  test('is for browsers: any other client gets the 404 in JSON, and so does another method', async () => {
    for (const accept of ['*/*', 'application/json', ''])
      expect(JSON.parse((await get('/projects', { accept })).text)).toEqual({
        code: 'NOT_FOUND',
        message: 'There is no such route.',
        details: {},
      });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const path of ['/', '/projects', '/assets/index-1.js', '/*', '/assets/*'])
        expect([method, path, (await get(path, {}, method)).status]).toEqual([method, path, 404]);
  });

  test('names the API to a client that is no browser', async () => {
    for (const accept of ['*/*', 'application/json'])
      expect(JSON.parse((await get('/', { accept })).text)).toEqual({
        name: 'Assay',
        docs: '/docs',
        openapi: '/v2/openapi.json',
      });
  });
});

describe('the files of the console', () => {
  test('that the page names are there, to be kept for a year', async () => {
    const page = await get('/projects/p');
    expect(page.text).toContain('href="/assets/icon-1.svg"');
    expect(page.text).toContain('src="/assets/index-1.js"');
    expect(page.text).toContain('href="/assetsofothers/x"');
    const file = await get('/assets/index-1.js', { accept: '*/*' });
    expect([file.status, file.text]).toEqual([200, script]);
    expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(file.headers['content-type']).toMatch(/^(text|application)\/javascript/);
    const face = await get('/assets/face-1.woff2', { accept: '*/*' });
    expect([face.status, face.headers['content-type']]).toEqual([200, 'font/woff2']);
    expect(face.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/assets/icon-1.svg')).headers['content-type']).toMatch(/^image\/svg\+xml/);
  });

  test('are sent as the client takes them, compressed where the build has that beside them', async () => {
    const file = async (name: string, encoding: string) => {
      const reply = await fetch(`${setting.gateway.url}/assets/${name}`, {
        headers: { 'accept-encoding': encoding },
      });
      expect([reply.headers.get('vary'), await reply.text()]).toEqual(['accept-encoding', script]);
      expect(reply.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
      expect(reply.headers.get('cache-control')).toContain('immutable');
      return {
        encoding: reply.headers.get('content-encoding'),
        isSmall: Number(reply.headers.get('content-length')) < script.length / 2,
      };
    };
    expect(await file('index-1.js', 'gzip, br')).toEqual({ encoding: null, isSmall: false });
    expect(await file('page-1.js', 'gzip, br')).toEqual({ encoding: 'br', isSmall: true });
    expect(await file('page-1.js', 'gzip')).toEqual({ encoding: 'gzip', isSmall: true });
    expect(await file('page-1.js', 'identity')).toEqual({ encoding: null, isSmall: false });
  });

  test('are those of one folder: no path leads out of it', async () => {
    for (const path of [
      '/assets/../secret.txt',
      '/assets/%2e%2e/secret.txt',
      '/assets/..%2fsecret.txt',
      '/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '/assets//etc/passwd',
      '/assets/\\..\\secret.txt',
      '/assets/.%00./secret.txt',
      '/secret.txt',
      '/assets/',
    ]) {
      const reply = await get(path, { accept: '*/*' });
      expect([path, reply.status]).toEqual([path, expect.toBeOneOf([400, 404])]);
      expect(reply.text).not.toContain('beside the page');
    }
  });
});

test('without a build the page says how to make it', async () => {
  await using bare = await startSetting({ CONSOLE_FOLDER: join(folder, 'nowhere') });
  const page = await ask(bare, '/projects', {});
  expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.text).toContain('npm run build --workspace console');
  expect((await ask(bare, '/projects', { accept: '*/*' })).text).toContain('NOT_FOUND');
  expect((await ask(bare, '/v2/projects', {})).status).toBe(401);
});

test('CONSOLE=off leaves it out', async () => {
  await using off = await startSetting({ CONSOLE: false, CONSOLE_FOLDER: folder });
  for (const path of ['/projects', '/assets/index-1.js'])
    expect([(await ask(off, path, {})).status, path]).toEqual([404, path]);
  expect(JSON.parse((await ask(off, '/', {})).text)).toMatchObject({ docs: '/docs' });
});

describe('below a public path', () => {
  let below: Setting;
  beforeAll(async () => {
    below = await startSetting({ CONSOLE_FOLDER: folder, PUBLIC_PATH: '/tools/assay' });
  });
  afterAll(() => below.stop());

  test('the page names it, and every path is the same whether the proxy in front took it away or not', async () => {
    const bearer = { authorization: `Bearer ${below.key}`, accept: '*/*' };
    for (const path of [
      '/',
      '/tools/assay/',
      '/tools/assay',
      '/projects',
      '/tools/assay/projects',
    ]) {
      const { status, text } = await ask(below, path, {});
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('<meta name="public-path" content="/tools/assay"');
      expect(text).toContain('src="/tools/assay/assets/index-1.js"');
      expect(text).toContain('href="/tools/assay/assets/icon-1.svg"');
    }
    for (const base of ['', '/tools/assay']) {
      expect((await ask(below, `${base}/assets/index-1.js`, {})).text).toBe(script);
      expect(JSON.parse((await ask(below, `${base}/v2/projects?limit=1`, bearer)).text).url).toBe(
        '/projects?limit=1',
      );
      expect((await ask(below, `${base}/livez`, {})).status).toBe(200);
      const document = JSON.parse((await ask(below, `${base}/v2/openapi.json`, {})).text);
      expect(document.servers).toEqual([{ url: '/tools/assay/v2' }]);
      expect(JSON.parse((await ask(below, `${base}/`, bearer)).text).docs).toBe(
        '/tools/assay/docs',
      );
    }
    expect((await ask(below, '/tools/assayx/v2/projects', bearer)).status).toBe(404);
    expect((await ask(below, '/tools/assay/tools/assay/livez', bearer)).status).toBe(404);
  });

  test('the cookie of a session is for that path', async () => {
    below.service.behave((_request, response) =>
      response.writeHead(204, { 'x-assay-session': 'as_x' }).end(),
    );
    const reply = await below.send('POST', '/session');
    expect(reply.headers.get('set-cookie')).toContain('=as_x; Max-Age=604800; Path=/tools/assay;');
    await using secure = await startSetting({ PUBLIC_URL: 'https://example.com/tools/assay/v2' });
    secure.service.behave((_request, response) =>
      response.writeHead(204, { 'x-assay-session': 'as_x' }).end(),
    );
    const set = (await secure.send('POST', '/session')).headers.get('set-cookie')!;
    expect(set).toMatch(/^__Secure-assay-443=as_x; .*Path=\/tools\/assay; .*Secure$/);
  });

  test.each(['assay', '/assay/', '/', '/v2', '/api/x', '/docs', '/a b', '/a/../b', '/a//b', '/"x'])(
    '%s cannot be one',
    (path) => {
      expect(() => readConfig(gatewayConfig, { PUBLIC_PATH: path })).toThrow(
        'PUBLIC_PATH must be a path such as /assay',
      );
    },
  );

  test('another one than that of PUBLIC_URL is refused at the start', async () => {
    const startWith = (change: Partial<GatewayConfig>) => start({ ...below.config, ...change });
    await expect(startWith({ PUBLIC_URL: 'https://example.com/v2' })).rejects.toThrow(
      'it must end with /tools/assay/v2',
    );
    await expect(
      startWith({ PUBLIC_PATH: undefined, PUBLIC_URL: 'https://example.com/a;b/v2' } as never),
    ).rejects.toThrow('its path must be /v2');
  });
});
