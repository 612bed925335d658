import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createLog } from '@assay/runtime/log';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpEdge } from '../src/server.ts';
import { connect, headOf } from './connection.ts';
import { type FakeService, type Setting, startFakeService, startSetting } from './setting.ts';

let setting: Setting;
let slow: FakeService;
beforeAll(async () => {
  slow = await startFakeService();
  setting = await startSetting({ RUN_RECORDS_URL: slow.url });
});
afterAll(async () => {
  await setting.stop();
  await slow.stop();
});

const bearer = () => ({ authorization: `Bearer ${setting.key}` });

test('connections of strangers keep nobody out: the oldest of them makes room', async () => {
  await using few = await startSetting({ CONNECTIONS_MAX: 3 });
  few.service.behave((_request, response) => response.end('{}'));
  const ask = headOf('GET', '/projects', { authorization: `Bearer ${few.key}` });
  const first = connect(few.gateway.url);
  first.write(ask);
  expect((await first.reply()).status).toBe(200);
  const strangers = Array.from({ length: 10 }, () => connect(few.gateway.url));
  const late = connect(few.gateway.url);
  late.write(ask);
  expect((await late.reply()).status).toBe(200);
  first.write(ask);
  expect((await first.reply()).status).toBe(200);
  await poll(
    'most strangers are closed',
    () => strangers.filter((client) => client.isClosed()).length === 9,
  );
  for (const client of [first, late, ...strangers]) client.vanish();
});

test('a connection more than may be is closed, and those that are there go on', async () => {
  await using few = await startSetting({ CONNECTIONS_MAX: 2 });
  few.service.behave((_request, response) => response.end('{}'));
  const clients = [connect(few.gateway.url), connect(few.gateway.url)];
  const ask = headOf('GET', '/projects', { authorization: `Bearer ${few.key}` });
  for (const client of clients) {
    client.write(ask);
    expect((await client.reply()).status).toBe(200);
  }
  const third = connect(few.gateway.url);
  await poll('the third is closed', third.isClosed);
  for (const client of clients) {
    client.write(ask);
    expect((await client.reply()).status).toBe(200);
    client.vanish();
  }
});

test('a request that has arrived when the gateway begins to stop is answered', async () => {
  const edge = createHttpEdge({
    faultOf: () => undefined,
    silenceMs: 60_000,
    connectionsMax: 10,
    closed: () => undefined,
    log: createLog({ name: 'test', level: 'silent' }),
  });
  edge.app.get('/v2/', async () => ({}));
  const client = connect(await edge.listen({ host: '127.0.0.1', port: 0 }));
  const ask = headOf('GET', '/', {});
  const answers = () => client.allBytes().match(/HTTP\/1\.1 200 /g)?.length ?? 0;
  client.write(ask);
  await poll('the first is answered', () => answers() === 1);
  client.write(ask);
  await edge.close();
  await poll('the connection is closed', client.isClosed);
  expect(answers()).toBe(2);
});

test('connections that come all at once are no more than may be', async () => {
  await using few = await startSetting({ CONNECTIONS_MAX: 20 });
  few.service.behave((_request, response) => response.end('{}'));
  const strangers = Array.from({ length: 400 }, () => connect(few.gateway.url));
  await poll(
    'all but twenty are closed',
    () => strangers.filter((client) => client.isClosed()).length >= 380,
  );
  const late = connect(few.gateway.url);
  late.write(headOf('GET', '/projects', { authorization: `Bearer ${few.key}` }));
  expect((await late.reply()).status).toBe(200);
  for (const client of [late, ...strangers]) client.vanish();
});

describe('a client that does not read', () => {
  const pieceBytes = 1024 * 1024;
  const pieces = 1024;

  /** Sends a gibibyte as fast as it is taken, and says how far it is. */
  function send(response: ServerResponse) {
    const progress = { pieces: 0, isOver: false };
    function* make() {
      for (; progress.pieces < pieces; progress.pieces += 1) yield Buffer.alloc(pieceBytes);
    }
    response.once('close', () => {
      progress.isOver = true;
    });
    response.writeHead(200, { 'content-length': pieces * pieceBytes });
    pipeline(Readable.from(make()), response).catch(() => undefined);
    return progress;
  }

  test('holds back its service, and costs the others nothing', async () => {
    let progress: ReturnType<typeof send> | undefined;
    slow.behave((_request, response) => {
      progress = send(response);
    });
    const client = connect(setting.gateway.url);
    client.stopReading();
    client.write(headOf('GET', '/runs/r', bearer()));
    const sending = await poll('the service sends', () => progress);
    for (let count = 0; count < 100; count++)
      expect((await setting.send('GET', '/projects')).status).toBe(200);
    expect(sending.pieces).toBeLessThan(64);
    client.vanish();
    await poll('the service is released', () => sending.isOver);
  });

  test('is cut off when it was silent for too long', async () => {
    let progress: ReturnType<typeof send> | undefined;
    const edge = createHttpEdge({
      faultOf: () => undefined,
      silenceMs: 200,
      connectionsMax: 10,
      closed: () => undefined,
      log: createLog({ name: 'test', level: 'silent' }),
    });
    edge.app.get('/v2/', (_request, reply) => {
      reply.hijack();
      progress = send(reply.raw);
    });
    const client = connect(await edge.listen({ host: '127.0.0.1', port: 0 }));
    client.stopReading();
    client.write(headOf('GET', '/', {}));
    await poll('the client is cut off', () => progress?.isOver);
    expect(progress!.pieces).toBeLessThan(64);
    await edge.close();
  });
});
