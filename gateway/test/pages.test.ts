import { version } from '@assay/contracts/version';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Setting, startFakeService, startSetting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting();
});
afterAll(() => setting.stop());

async function get(path: string, method = 'GET') {
  const reply = await fetch(`${setting.gateway.url}${path}`, { method });
  const { status, headers } = reply;
  return { status, headers, text: await reply.text() };
}

describe('what needs no key', () => {
  test('the API document is the same under both base paths', async () => {
    const reply = await get('/v2/openapi.json');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(JSON.parse(reply.text).openapi).toBe('3.1.0');
    expect((await get('/api/v2/openapi.json')).text).toBe(reply.text);
  });

  test('liveness, readiness and metrics answer; another method is a 405', async () => {
    expect((await get('/livez')).text).toBe(`{"status":"alive","version":"${version}"}`);
    expect((await get('/readyz')).text).toBe('{"status":"ready"}');
    await setting.send('GET', '/projects');
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(metrics.text).toMatch(
      /assay_operation_seconds_count\{.*operation="catalog.listProjects",status="200"\} 1/,
    );
    const refused = await get('/livez', 'POST');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

test('metrics that have a port of their own are not at the published one, and that port serves nothing else', async () => {
  const taken = await startFakeService();
  await taken.stop();
  const port = Number(new URL(taken.url).port);
  await using apart = await startSetting({ METRICS_PORT: port });
  const own = `http://127.0.0.1:${port}`;
  expect((await fetch(`${apart.gateway.url}/metrics`)).status).toBe(404);
  expect(await (await fetch(`${own}/metrics`)).text()).toContain('assay_waiting_requests');
  for (const path of ['/', '/v2/projects', '/docs', '/readyz'])
    expect((await fetch(`${own}${path}`)).status).toBe(404);
});
