import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { notServedHeader } from '@assay/runtime/http/reply';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type FakeService, type SeenRequest, startFakeService, startSetting } from './setting.ts';

/** A service that speaks anything but good HTTP. */
async function startBadService(
  behave: (socket: Socket, count: number) => void,
): Promise<{ url: string; stop: () => void }> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      count += 1;
      behave(socket, count);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function closedUrl(): Promise<string> {
  const service = await startFakeService();
  await service.stop();
  return service.url;
}

const unavailable = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'A part of the service does not answer at the moment.',
  details: {},
};

async function expectUnavailable(reply: Response): Promise<void> {
  expect(reply.status).toBe(503);
  expect(reply.headers.get('retry-after')).toBe('1');
  expect(reply.headers.get('x-request-id')).not.toBeNull();
  expect(await reply.json()).toEqual(unavailable);
}

describe('a fault of a service is a 503 and never a 500', () => {
  const faults: Record<string, (socket: Socket) => void> = {
    'resets the connection': (socket) => socket.resetAndDestroy(),
    'closes without a word': (socket) => socket.end(),
    'answers garbage': (socket) => socket.end('what is this?\r\n\r\n'),
    'stops in its headers': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
    'says nothing': () => undefined,
  };
  for (const [name, behave] of Object.entries(faults)) {
    test(`one that ${name}`, async () => {
      const bad = await startBadService(behave);
      await using setting = await startSetting({ CATALOG_URL: bad.url, UPSTREAM_TIMEOUT_MS: 300 });
      await expectUnavailable(await setting.send('GET', '/projects'));
      await expectUnavailable(await setting.send('POST', '/projects', { body: '{}' }));
      await expectUnavailable(
        await setting.send('POST', '/projects', { body: Buffer.alloc(600_000) }),
      );
      expect((await setting.send('GET', '/members')).status).toBe(200);
      bad.stop();
    });
  }

  test('one that is not there, for itself alone', async () => {
    await using setting = await startSetting({ CATALOG_URL: await closedUrl() });
    await expectUnavailable(await setting.send('GET', '/projects'));
    await expectUnavailable(
      await setting.send('POST', '/projects', { body: Buffer.alloc(600_000) }),
    );
    expect((await setting.send('GET', '/members')).status).toBe(200);
  });

  test('one that does not take our signature', async () => {
    await using setting = await startSetting();
    setting.service.behave((_request, response) =>
      response.writeHead(401).end('{"code":"UNAUTHORIZED"}'),
    );
    await expectUnavailable(await setting.send('GET', '/projects'));
  });

  test('a reply that ends early ends the connection of the client, so that no part is taken for the whole', async () => {
    const bad = await startBadService((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n', () =>
        socket.destroy(),
      );
    });
    await using setting = await startSetting({ CATALOG_URL: bad.url });
    const reply = setting.send('GET', '/projects').then((response) => response.text());
    await expect(reply).rejects.toThrow();
    bad.stop();
  });
});

describe('a stream', () => {
  const path = '/testsets/00000000-0000-7000-8000-000000000000/testcases/export';
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n';

  test('that breaks off before its first byte is a 503', async () => {
    const bad = await startBadService((socket) => socket.write(head, () => socket.destroy()));
    await using setting = await startSetting({ TESTCASES_URL: bad.url });
    await expectUnavailable(await setting.send('GET', path));
    bad.stop();
  });

  test('that breaks off later ends the connection of the client', async () => {
    const bad = await startBadService((socket) =>
      socket.write(`${head}3\r\na,b\r\n`, () => setImmediate(() => socket.destroy())),
    );
    await using setting = await startSetting({ TESTCASES_URL: bad.url });
    const reply = setting.send('GET', path).then((response) => response.text());
    await expect(reply).rejects.toThrow();
    bad.stop();
  });

  test('of a service that does not take our signature is a 503, and so is one that is not there', async () => {
    const bad = await startFakeService();
    bad.behave((_request, response) => response.writeHead(401).end('{"code":"UNAUTHORIZED"}'));
    await using setting = await startSetting({ TESTCASES_URL: bad.url });
    await expectUnavailable(await setting.send('GET', path));
    await bad.stop();
    await expectUnavailable(await setting.send('GET', path));
  });

  test('comes from the next replica when one cannot be reached, and once more when its connection broke', async () => {
    const stopping = await startBadService((socket, count) => {
      if (count === 1) socket.destroy();
      else socket.write(`${head}3\r\na,b\r\n0\r\n\r\n`);
    });
    await using breaking = await startSetting({ TESTCASES_URL: stopping.url });
    expect(await (await breaking.send('GET', path)).text()).toBe('a,b');
    await using missing = await startSetting({
      TESTCASES_URL: `${await closedUrl()},${stopping.url}`,
    });
    for (let count = 0; count < 4; count++)
      expect(await (await missing.send('GET', path)).text()).toBe('a,b');
    stopping.stop();
  });
});

describe('several replicas', () => {
  let first: FakeService;
  let second: FakeService;
  beforeAll(async () => {
    [first, second] = await Promise.all([startFakeService(), startFakeService()]);
  });
  afterAll(() => Promise.all([first.stop(), second.stop()]));
  const counted = { first: 0, second: 0 };
  afterEach(() => Object.assign(counted, { first: 0, second: 0 }));
  const count = (name: 'first' | 'second', service: FakeService) =>
    service.behave((request, response) => {
      counted[name] += 1;
      request.resume();
      response.end('{}');
    });

  test('share the requests', async () => {
    await using setting = await startSetting({ CATALOG_URL: `${first.url}, ${second.url}` });
    count('first', first);
    count('second', second);
    for (let index = 0; index < 10; index++) await (await setting.send('GET', '/projects')).text();
    expect(counted).toEqual({ first: 5, second: 5 });
  });

  test('when one cannot be reached, the other gets its requests, with any method and body', async () => {
    await using setting = await startSetting({ CATALOG_URL: `${await closedUrl()},${second.url}` });
    count('second', second);
    for (const body of ['{}', Buffer.alloc(600_000)])
      for (let index = 0; index < 4; index++)
        expect((await setting.send('POST', '/projects', { body })).status).toBe(200);
    for (let index = 0; index < 4; index++)
      expect((await setting.send('GET', '/projects')).status).toBe(200);
    expect(counted.second).toBe(12);
  });

  test('when one migrates its data, the other gets its requests, also a POST and one whose reply streams', async () => {
    const migrating = await startFakeService();
    migrating.behave((request, response) => {
      request.resume();
      response.writeHead(503, { [notServedHeader]: 'migrating', 'retry-after': '1' }).end('{}');
    });
    const urls = `${migrating.url},${second.url}`;
    await using setting = await startSetting({ CATALOG_URL: urls, TESTCASES_URL: urls });
    count('second', second);
    const path = '/testsets/00000000-0000-7000-8000-000000000000/testcases/export';
    for (let index = 0; index < 4; index++) {
      const replies = [
        await setting.send('POST', '/projects', { body: '{}' }),
        await setting.send('GET', path),
      ];
      for (const reply of replies) {
        expect([reply.status, await reply.text()]).toEqual([200, '{}']);
        expect(reply.headers.has('retry-after')).toBe(false);
      }
    }
    expect(counted.second).toBe(8);
    await using alone = await startSetting({ CATALOG_URL: migrating.url });
    await expectUnavailable(await alone.send('POST', '/projects', { body: '{}' }));
    await migrating.stop();
  });

  test('a GET whose connection broke is sent once more; a POST is not, since it may have done its work', async () => {
    const replies = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
    const counts = { GET: 0, POST: 0 };
    const bad = await startBadService((socket, count) => {
      counts.GET = count;
      if (count === 2) socket.destroy();
      else socket.write(replies);
    });
    await using setting = await startSetting({ CATALOG_URL: bad.url });
    expect((await setting.send('GET', '/projects')).status).toBe(200);
    expect((await setting.send('GET', '/projects')).status).toBe(200);
    expect(counts.GET).toBe(3);
    bad.stop();
    const other = await startBadService((socket, count) => {
      counts.POST = count;
      socket.destroy();
    });
    await using posting = await startSetting({ CATALOG_URL: other.url });
    await expectUnavailable(await posting.send('POST', '/projects', { body: '{}' }));
    expect(counts.POST).toBe(1);
    other.stop();
  });
});

test('a POST with an Idempotency-Key and a PUT, whose connection broke because a replica stopped, are sent once more', async () => {
  for (const [method, path, headers] of [
    ['POST', '/projects', { 'idempotency-key': 'k' }],
    ['PUT', '/testcases/00000000-0000-7000-8000-000000000000', {}],
  ] as const) {
    const seen: number[] = [];
    const stopping = await startBadService((socket, count) => {
      seen.push(count);
      if (count === 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
    await using setting = await startSetting({
      CATALOG_URL: stopping.url,
      TESTCASES_URL: stopping.url,
    });
    expect((await setting.send(method, path, { body: '{}', headers })).status).toBe(200);
    expect(seen).toEqual([1, 2]);
    stopping.stop();
  }
});

describe('stopping', () => {
  test('a request that was taken is finished, and only then does the gateway end', async () => {
    const setting = await startSetting();
    let finish: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => {
      setting.service.behave((_request, response) => {
        finish = () => response.end('{"late":true}');
        resolve();
      });
    });
    const reply = setting.send('GET', '/projects');
    await arrived;
    const stopped = setting.gateway.stop();
    finish!();
    expect(((await (await reply).json()) as SeenRequest & { late: boolean }).late).toBe(true);
    await stopped;
    await expect(fetch(`${setting.gateway.url}/livez`)).rejects.toThrow();
    await setting.service.stop();
    await setting.world.stop();
  });
});
