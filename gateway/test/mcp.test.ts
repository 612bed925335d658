import { expect, test } from 'vitest';
import { exchange } from './connection.ts';
import { type SeenRequest, startFakeService, startSetting } from './setting.ts';

const message = { jsonrpc: '2.0', id: 1, method: 'ping' };

const post = (url: string, key: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/mcp?tools=read`, {
    method: 'POST',
    body: JSON.stringify(message),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  });

test('without a process for agents, /mcp is a 404 that says how there is one', async () => {
  await using setting = await startSetting();
  const reply = await post(setting.gateway.url, setting.key);
  expect(reply.status).toBe(404);
  expect(await reply.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32_000,
      message:
        'Agents are not served here: start the process mcp, and name it in MCP_URL of the gateway.',
      data: { code: 'NOT_FOUND', details: {} },
    },
  });
});

test('the process gets the message with the key and the headers of the protocol, and no others', async () => {
  const mcp = await startFakeService();
  await using setting = await startSetting({ MCP_URL: mcp.url });
  const reply = await post(setting.gateway.url, setting.key, {
    'mcp-protocol-version': '2025-06-18',
    cookie: 'assay=secret',
    'x-forwarded-for': '192.0.2.1',
  });
  const { url, headers, text } = (await reply.json()) as SeenRequest;
  expect(url).toBe('/mcp?tools=read');
  expect(JSON.parse(text)).toEqual(message);
  expect(headers).toMatchObject({
    authorization: `Bearer ${setting.key}`,
    'mcp-protocol-version': '2025-06-18',
  });
  expect(Object.keys(headers).filter((name) => /cookie|forwarded|assay/.test(name))).toEqual([]);
  await mcp.stop();
});

test('a process that is away is a 503 in the form of the protocol, and nobody else notices', async () => {
  const mcp = await startFakeService();
  await mcp.stop();
  await using setting = await startSetting({ MCP_URL: mcp.url });
  const reply = await post(setting.gateway.url, setting.key);
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ error: { data: { code: 'SERVICE_UNAVAILABLE' } } });
  expect((await setting.send('GET', '/projects')).status).toBe(200);
});

test('the process is asked nothing for a key that is not good, and too many messages are a 429', async () => {
  const mcp = await startFakeService();
  let asked = 0;
  mcp.behave((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  await using setting = await startSetting({ MCP_URL: mcp.url, RATE_LIMIT_PER_MINUTE: 2 });
  expect((await post(setting.gateway.url, `ak_${'x'.repeat(40)}`)).status).toBe(401);
  expect(asked).toBe(0);
  const statuses = [];
  for (let count = 0; count < 3; count++)
    statuses.push((await post(setting.gateway.url, setting.key)).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect(asked).toBe(2);
  await mcp.stop();
});

test('a host is known by its whole name, and not by a URL that could be made of it', async () => {
  const mcp = await startFakeService();
  await using setting = await startSetting({ MCP_URL: mcp.url, MCP_HOSTS: 'localhost' });
  const body = JSON.stringify(message);
  const statusFor = async (host: string) => {
    const head = `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${setting.key}`;
    const sent = `${head}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
    const [reply] = await exchange(setting.gateway.url, sent);
    return reply!.status;
  };
  for (const host of ['localhost', 'LOCALHOST:4400', '127.0.0.1:1', '[::1]:4400'])
    expect([host, await statusFor(host)]).toEqual([host, 200]);
  for (const host of ['evil.com@localhost', 'localhost/evil.com', 'localhost?x', '[localhost]'])
    expect([host, await statusFor(host)]).toEqual([host, 403]);
  await mcp.stop();
});

test('a host that PUBLIC_URL or MCP_HOSTS names is let in', async () => {
  const mcp = await startFakeService();
  await using setting = await startSetting({
    MCP_URL: mcp.url,
    PUBLIC_URL: 'https://assay.example.com/v2',
    MCP_HOSTS: 'gateway,assay.internal',
  });
  const from = async (origin: string) =>
    (await post(setting.gateway.url, setting.key, { origin })).status;
  expect(await from('https://assay.example.com')).toBe(200);
  expect(await from('http://assay.internal:4400')).toBe(200);
  expect(await from('https://example.com')).toBe(403);
  await mcp.stop();
});
