import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Setting, startSetting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting({});
});
afterAll(() => setting.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${setting.gateway.url}/sdk${path}`, { headers, redirect: 'manual' });

test('the packages of the build are listed for programs and for people, without a key', async () => {
  const list = await get('/', { accept: 'application/json' });
  expect(list.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { packages } = (await list.json()) as { packages: { name: string; bytes: number }[] };
  expect(packages.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^assay-\d+\.\d+\.\d+-py3-none-any\.whl$/),
    'assay.tgz',
  ]);
  const page = await get('/', { accept: 'text/html' });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  for (const { name, bytes } of packages) {
    const reply = await get(`/${name}`);
    expect([reply.status, (await reply.arrayBuffer()).byteLength]).toEqual([200, bytes]);
    expect(await (await get('/', { accept: 'text/html' })).text()).toContain(`href="${name}"`);
  }
  expect((await get('')).headers.get('location')).toBe('sdk/');
});

test('a package that a client has is not sent again', async () => {
  for (const path of ['/', '/assay.tgz', '/simple/assay/']) {
    const first = await get(path);
    const etag = first.headers.get('etag')!;
    expect(first.headers.get('cache-control')).toBe('no-cache');
    await first.arrayBuffer();
    const second = await get(path, { 'if-none-match': `"other", ${etag}` });
    expect([second.status, (await second.arrayBuffer()).byteLength]).toEqual([304, 0]);
  }
});

test('pip finds the wheel in the index, and nothing else is there', async () => {
  const index = await (await get('/simple/assay/')).text();
  const [, path] = /href="([^"]+)"/.exec(index)!;
  const wheel = await fetch(new URL(path!, `${setting.gateway.url}/sdk/simple/assay/`));
  expect(wheel.headers.get('content-type')).toBe('application/zip');
  expect(await (await get('/simple/')).text()).toContain('href="assay/"');
  for (const unknown of ['/simple/other/', '/other.tgz', '/..%2fsources', '/.sources'])
    expect((await get(unknown)).status).toBe(404);
});
