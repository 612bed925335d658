import { Writable } from 'node:stream';
import { newKey } from '@assay/runtime/api-key';
import { createLog } from '@assay/runtime/log';
import { poll } from '@assay/testing/poll';
import { expect, onTestFinished, test } from 'vitest';
import { start } from '../src/gateway.ts';
import { startSetting } from './setting.ts';

type Line = Record<string, unknown>;

/** A gateway whose log is read; `logged` waits for the lines of as many requests. */
async function startLogged(change: { ACCESS_LOG?: boolean } = {}) {
  const setting = await startSetting();
  const texts: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => done(void texts.push(String(chunk))),
  });
  const log = createLog({ name: 'gateway', level: 'info', destination });
  const gateway = await start({ ...setting.config, ...change }, log);
  onTestFinished(async () => {
    await gateway.stop();
    await setting.stop();
  });
  const lines = (): Line[] =>
    texts.map((text) => JSON.parse(text)).filter(({ msg }) => msg === 'request');
  const send = (path: string, key: string, init: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'x-request-id': 'asked', ...init.headers },
    });
  return {
    setting,
    texts,
    send,
    lines,
    logged: (count: number) =>
      poll(`${count} requests are logged`, () => lines().length >= count && lines()),
  };
}

test('each request has a line when it is over, with who asked for what, and without a key, a path, a query or a body', async () => {
  const { setting, texts, send, logged } = await startLogged();
  const organizationId = '01900000-0000-7000-8000-000000000001';
  const key = setting.identity.key({ organizationId });
  const body = 'the-body-of-a-client';
  const reply = await send('/v2/projects?name=the-query', key, { method: 'POST', body });
  expect(reply.status).toBe(200);
  await reply.text();
  const [line] = await logged(1);
  expect(line).toEqual({
    level: 'info',
    time: expect.any(Number),
    name: 'gateway',
    msg: 'request',
    method: 'POST',
    operation: 'catalog.createProject',
    status: 200,
    ms: expect.any(Number),
    bytes: expect.any(Number),
    organizationId,
    apiKeyId: expect.stringMatching(/^[\w-]{36}$/),
    address: '127.0.0.1',
    requestId: 'asked',
  });
  expect(Number(line!.bytes)).toBeGreaterThan(100);

  const unknown = newKey();
  await (await send('/v2/projects', unknown)).text();
  await (await send('/nothing/the-path', key)).text();
  const [, refused, missing] = await logged(3);
  expect(refused).toMatchObject({
    operation: 'catalog.listProjects',
    status: 401,
    organizationId: null,
    apiKeyId: null,
  });
  expect(missing).toMatchObject({ operation: null, status: 404 });
  const text = texts.join('');
  for (const secret of [key, unknown, body, 'the-query', 'the-path'])
    expect(text).not.toContain(secret);
});

test('a stream of events has its line at its end, and probes have none', async () => {
  const { setting, send, lines, logged } = await startLogged();
  const key = setting.identity.key();
  let end!: () => void;
  setting.service.behave((request, response) => {
    // The gateway asks, too, whether the service is ready.
    if (!request.url!.endsWith('/events')) return void response.end('{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    end = () => response.end();
  });
  const id = '01900000-0000-7000-8000-000000000001';
  const events = await send(`/v2/runs/${id}/events`, key);
  const reader = events.body!.getReader();
  await reader.read();
  for (const path of ['/livez', '/readyz', '/metrics']) await (await send(path, key)).text();
  expect(lines()).toEqual([]);
  end();
  expect((await reader.read()).done).toBe(true);
  expect(await logged(1)).toMatchObject([
    { operation: 'run-records.streamRunEvents', status: 200 },
  ]);
});

test('with ACCESS_LOG=off there is none', async () => {
  const { setting, send, texts, lines } = await startLogged({ ACCESS_LOG: false });
  await (await send('/v2/projects', setting.identity.key())).text();
  expect(texts.join('')).toContain('"msg":"ready"');
  expect(lines()).toEqual([]);
});
