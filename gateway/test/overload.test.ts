import { PassThrough } from 'node:stream';
import { createLog } from '@assay/runtime/log';
import { poll } from '@assay/testing/poll';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/gateway.ts';
import { connect, headOf } from './connection.ts';
import {
  type FakeService,
  type Listener,
  type Setting,
  startFakeService,
  startSetting,
} from './setting.ts';

const roomMax = 2;
const noRoom = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'A part of the service takes no more requests at the moment.',
  details: {},
};

/**
 * The fake run-records keeps its requests until a test finishes them; the fake of all other
 * services answers at once.
 */
let setting: Setting;
let slow: FakeService;
const kept: Parameters<Listener>[] = [];
const keep: Listener = (request, response) => {
  // Whoever reads the metrics asks for the dependencies, too.
  if (request.url === '/readyz') return void response.end('{}');
  request.resume();
  kept.push([request, response]);
};
function finish() {
  for (const [, response] of kept.splice(0)) response.end('{}');
}

beforeAll(async () => {
  slow = await startFakeService();
  slow.behave(keep);
  setting = await startSetting({ RUN_RECORDS_URL: slow.url, WAITING_REQUESTS_MAX: roomMax });
});
afterAll(async () => {
  await setting.stop();
  await slow.stop();
});
afterEach(async () => {
  slow.behave(keep);
  finish();
  await waiting(0);
});

async function waiting(count: number): Promise<void> {
  const line = `assay_waiting_requests{service="gateway"} ${count}\n`;
  await poll(`${count} wait`, async () =>
    (await (await fetch(`${setting.gateway.url}/metrics`)).text()).includes(line),
  );
}
const statusOf = async (reply: Promise<Response>) => (await reply).status;
const getRun = () => setting.send('GET', '/runs/r');
const bearer = () => ({ authorization: `Bearer ${setting.key}` });
const uploadHead = (headers: object) =>
  headOf('POST', '/runs/r/records', {
    ...bearer(),
    'content-type': 'application/json',
    ...headers,
  });

/** As many requests as there is room for; they are answered when the test calls `finish`. */
async function fillRoom(): Promise<Promise<number>[]> {
  const replies = Array.from({ length: roomMax }, () => statusOf(getRun()));
  await poll('the service has them', () => kept.length === roomMax);
  return replies;
}

describe('a service without room', () => {
  test('refuses its own requests, and leaves those of the others alone', async () => {
    const replies = await fillRoom();
    const refused = await getRun();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-request-id')).not.toBeNull();
    expect(await refused.json()).toEqual(noRoom);
    expect(await statusOf(setting.send('GET', '/projects'))).toBe(200);
    expect(kept).toHaveLength(roomMax);
    finish();
    expect(await Promise.all(replies)).toEqual([200, 200]);
  });

  test('takes requests again as soon as one is answered', async () => {
    await fillRoom();
    kept.pop()![1].end('{}');
    await waiting(roomMax - 1);
    const taken = statusOf(getRun());
    await waiting(roomMax);
    expect(await statusOf(getRun())).toBe(503);
    finish();
    expect(await taken).toBe(200);
  });

  test('is asked after 404, 401, 405 and 403, and before the size of the body', async () => {
    await fillRoom();
    const member = { authorization: `Bearer ${setting.identity.key({ role: 'member' })}` };
    expect(await statusOf(setting.send('GET', '/runs/r/nothing'))).toBe(404);
    expect(
      await statusOf(
        setting.send('GET', '/runs/r', { headers: { authorization: 'Bearer ak_wrong' } }),
      ),
    ).toBe(401);
    expect(await statusOf(setting.send('PUT', '/runs/r'))).toBe(405);
    expect(await statusOf(setting.send('POST', '/members', { body: '{}', headers: member }))).toBe(
      403,
    );
    expect(
      await statusOf(
        setting.send('POST', '/runs/r/records', { body: Buffer.alloc(16 * 1024 * 1024) }),
      ),
    ).toBe(503);
  });

  test.each([
    ['short', 1000],
    ['of 256 KiB', 256 * 1024],
    ['of 15 MiB', 15 * 1024 * 1024],
  ])(
    'leaves the body unread that is %s, and the connection goes on',
    async (_name, lengthBytes) => {
      await fillRoom();
      const client = connect(setting.gateway.url);
      for (let round = 0; round < 2; round++) {
        client.write(uploadHead({ 'content-length': lengthBytes }));
        client.write(Buffer.alloc(lengthBytes, 0x20));
        expect(JSON.parse((await client.reply()).text)).toEqual(noRoom);
      }
      client.write(headOf('GET', '/projects', bearer()));
      expect((await client.reply()).status).toBe(200);
      client.vanish();
    },
  );

  test('tells a client that asks first not to send', async () => {
    await fillRoom();
    const client = connect(setting.gateway.url);
    client.write(uploadHead({ 'content-length': 1000, expect: '100-continue' }));
    const reply = await client.reply();
    expect([reply.status, reply.headers.connection]).toEqual([503, 'close']);
  });

  test('counts each refusal, and logs them together', async () => {
    const destination = new PassThrough();
    const gateway = await start(
      { ...setting.config, WAITING_REQUESTS_MAX: 1, PORT: 0 },
      createLog({ name: 'test', level: 'warn', destination }),
    );
    const ask = () => fetch(`${gateway.url}/v2/runs/r`, { headers: bearer() });
    const answered = ask();
    await poll('one waits', () => kept.length === 1);
    const before = performance.now();
    for (let count = 0; count < 100; count++) expect((await ask()).status).toBe(503);
    const seconds = (performance.now() - before) / 1000;
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(text).toContain(
      'assay_refused_requests_total{upstream="run-records",service="gateway"} 100',
    );
    const lines = String(destination.read()).trim().split('\n');
    expect(lines.length).toBeLessThanOrEqual(1 + seconds);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      upstream: 'run-records',
      refused: 1,
      msg: 'a service had no room for requests',
    });
    finish();
    expect((await answered).status).toBe(200);
    await gateway.stop();
  });
});

describe('a request takes room', () => {
  test('until its reply begins, however long the reply is', async () => {
    slow.behave(
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n'),
    );
    const streams = [];
    for (let count = 0; count < roomMax + 1; count++)
      streams.push(await setting.send('GET', '/runs/r/events'));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    await Promise.all(streams.map(({ body }) => body!.cancel()));
  });

  test('until its client goes away', async () => {
    const clients = Array.from({ length: roomMax }, () => connect(setting.gateway.url));
    for (const client of clients) client.write(headOf('GET', '/runs/r', bearer()));
    await waiting(roomMax);
    for (const client of clients) client.vanish();
    await waiting(0);
  });

  test('from when its body is there: clients that send slowly keep none from those that do not', async () => {
    const body = JSON.stringify({ name: 'x'.repeat(1000) });
    const clients = Array.from({ length: roomMax + 1 }, () => connect(setting.gateway.url));
    for (const client of clients) {
      client.write(uploadHead({ 'content-length': body.length }));
      client.write(body.slice(0, 10));
    }
    const replies = await fillRoom();
    for (const client of clients) client.write(body.slice(10));
    for (const client of clients) expect((await client.reply()).status).toBe(503);
    finish();
    expect(await Promise.all(replies)).toEqual([200, 200]);
  });

  test('of its own kind while its body streams in: uploads are refused among themselves', async () => {
    const upload = (headers: object) => {
      const client = connect(setting.gateway.url);
      client.write(uploadHead(headers));
      client.write('1\r\n \r\n');
      return client;
    };
    const clients = Array.from({ length: roomMax }, () =>
      upload({ 'transfer-encoding': 'chunked' }),
    );
    await poll('the uploads have begun', () => kept.length === roomMax);
    expect((await upload({ 'transfer-encoding': 'chunked' }).reply()).status).toBe(503);
    const small = statusOf(getRun());
    await waiting(1);
    clients[0]!.write('0\r\n\r\n');
    await waiting(2);
    expect(await statusOf(getRun())).toBe(503);
    finish();
    expect(await small).toBe(200);
    expect((await clients[0]!.reply()).status).toBe(200);
    for (const client of clients) client.vanish();
  });

  test('of its own process: one that hangs is passed over when it is full', async () => {
    const quick = await startFakeService();
    await using two = await startSetting({
      RUN_RECORDS_URL: `${slow.url},${quick.url}`,
      WAITING_REQUESTS_MAX: roomMax,
    });
    const replies = Array.from({ length: 2 * roomMax }, () => statusOf(two.send('GET', '/runs/r')));
    await poll('the process that hangs is full', () => kept.length === roomMax);
    for (let count = 0; count < 20; count++)
      expect(await statusOf(two.send('GET', '/runs/r'))).toBe(200);
    expect(kept).toHaveLength(roomMax);
    finish();
    expect(await Promise.all(replies)).toEqual([200, 200, 200, 200]);
    await quick.stop();
  });
});

describe('a body that comes too slowly', () => {
  const tooSlow = {
    code: 'MALFORMED_JSON',
    message: 'The body took too long: it must be complete within 0.2 seconds.',
    details: {},
  };
  let hasty: Setting;
  let outcome: string | undefined;
  beforeAll(async () => {
    hasty = await startSetting({ BODY_TIMEOUT_MS: 200 });
    hasty.service.behave((request, response) => {
      request.resume();
      request.once('end', () => response.end('{}'));
      request.once('close', () => {
        outcome = request.complete ? 'whole' : 'cut';
      });
    });
  });
  afterAll(() => hasty.stop());

  const open = (path: string, headers: object, first: string) => {
    const client = connect(hasty.gateway.url);
    client.write(
      headOf('POST', path, {
        authorization: `Bearer ${hasty.key}`,
        'content-type': 'application/json',
        ...headers,
      }),
    );
    client.write(first);
    return client;
  };

  test.each([
    ['short', '/projects', { 'content-length': 100 }, '{'],
    ['long', '/runs/r/records', { 'content-length': 1_000_000 }, '{'],
    ['of unknown length', '/projects', { 'transfer-encoding': 'chunked' }, '1\r\n{\r\n'],
    ['compressed', '/projects', { 'content-length': 100, 'content-encoding': 'gzip' }, '\x1f'],
  ])('ends with a 400 and its connection: %s', async (_name, path, headers, first) => {
    outcome = undefined;
    const client = open(path, headers, first);
    const reply = await client.reply();
    expect([reply.status, reply.headers.connection]).toEqual([400, 'close']);
    expect(JSON.parse(reply.text)).toEqual(tooSlow);
    await poll('the connection is closed', client.isClosed);
    if (path === '/runs/r/records') await poll('the service is released', () => outcome === 'cut');
  });

  test('may take its time where it is a stream', async () => {
    const upload = open('/testsets/t/testcases/import', { 'content-length': 2 }, '{');
    expect((await open('/projects', { 'content-length': 100 }, '{').reply()).status).toBe(400);
    upload.write('}');
    expect((await upload.reply()).status).toBe(200);
    upload.vanish();
  });
});

test('bodies that clients are sending are held up to 128 MiB together; more are refused, until some of the clients go', async () => {
  // A slow machine takes longer than a client may be silent for to fill the room.
  await using patient = await startSetting({ BODY_SILENCE_MS: 120_000 });
  const authorization = `Bearer ${patient.key}`;
  const largest = Buffer.alloc(256 * 1024, 0x20);
  const send = (bytes: Uint8Array) => {
    const client = connect(patient.gateway.url);
    client.write(
      headOf('POST', '/projects', {
        authorization,
        'content-type': 'application/json',
        'content-length': largest.length,
      }),
    );
    client.write(bytes);
    return client;
  };
  const clients = Array.from({ length: 512 }, () => send(largest.subarray(1)));
  const create = () => patient.send('POST', '/projects', { body: largest });
  const refused = await poll('a body is refused', async () => {
    const reply = await create();
    if (reply.status === 503) return reply;
    // One of the clients met a body of ours, was refused, and left room.
    clients.push(send(largest.subarray(1)));
    return undefined;
  });
  expect(await refused.json()).toMatchObject({
    message: 'More bodies are coming in than can be held.',
  });
  expect(await statusOf(patient.send('GET', '/projects'))).toBe(200);
  for (const client of clients.slice(0, 100)) client.vanish();
  await poll('a body is taken', async () => (await create()).status === 200);
  for (const client of clients) client.vanish();
});

describe('a body that stops', () => {
  const stopped = {
    code: 'MALFORMED_JSON',
    message: 'The body took too long: nothing of it came for 2 seconds.',
    details: {},
  };

  test('ends with a 400 long before its time is over, and one that goes on slowly is taken', async () => {
    await using hasty = await startSetting({ BODY_SILENCE_MS: 2000 });
    const open = (path: string, lengthBytes: number) => {
      const client = connect(hasty.gateway.url);
      const headers = {
        authorization: `Bearer ${hasty.key}`,
        'content-type': 'application/json',
        'content-length': lengthBytes,
      };
      client.write(headOf('POST', path, headers));
      client.write(' ');
      return client;
    };
    const slow = open('/projects', 1_000_000);
    const dribble = setInterval(() => slow.write(' '), 20);
    for (const lengthBytes of [100, 300_000]) {
      const reply = await open('/projects', lengthBytes).reply();
      expect([reply.status, JSON.parse(reply.text)]).toEqual([400, stopped]);
    }
    expect(slow.isClosed()).toBe(false);
    clearInterval(dribble);
    expect((await slow.reply()).status).toBe(400);
  });
});
