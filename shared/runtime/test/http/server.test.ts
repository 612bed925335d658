import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { connect } from 'node:net';
import { operation, service } from '@assay/contracts/define';
import { poll } from '@assay/testing/poll';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type StartedServer, startServer } from './started-server.ts';

const mebibyte = 1024 * 1024;
const limitBytes = 15 * mebibyte;

const contract = service({
  name: 'parcels',
  summary: 'Parcels',
  operations: {
    createParcel: operation({
      method: 'POST',
      path: '/parcels',
      summary: 'Create',
      bodyBytesMax: limitBytes,
      body: z.object({ name: z.string() }),
      reply: z.object({ name: z.string() }),
      status: 201,
    }),
    readParcel: operation({
      method: 'GET',
      path: '/parcels/:size',
      params: { size: z.string() },
      summary: 'Read',
      reply: z.object({ name: z.string() }),
      status: 200,
    }),
  },
});

/** What the handler waits for before it replies; nothing unless a test says so. */
let gate: Promise<void> | undefined;
function closeGate(): () => void {
  let open: (() => void) | undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  return open!;
}
let handled = 0;
let server: StartedServer;
beforeAll(async () => {
  server = await startServer(contract, {
    createParcel: async ({ body }) => {
      handled += 1;
      await gate;
      return body;
    },
    readParcel: async ({ params }) => {
      if (params.size === 'reset')
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      return { name: 'x'.repeat(Number(params.size)) };
    },
  });
});
afterAll(() => server.close());
afterEach(async () => {
  gate = undefined;
  await held(0);
});

async function heldBytes(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^assay_held_body_bytes\S* (\d+)$/m.exec(text)![1]);
}
const held = (bytes: number) =>
  poll(`${bytes} bytes are held`, async () => (await heldBytes()) === bytes);

const headers = (method = 'POST', path = '/parcels') => ({
  'content-type': 'application/json',
  ...server.callHeaders(method, path),
});

interface OpenedRequest {
  request: ReturnType<typeof openRequest>;
  reply: Promise<{
    status: number;
    headers: IncomingMessage['headers'];
    body: { code: string; message: string; details: object };
  }>;
}

/** A request that is open, with its head sent; a test sends its body. */
function open(more: Record<string, string | number>, agent: Agent | false = false): OpenedRequest {
  const request = openRequest(`${server.url}/parcels`, {
    method: 'POST',
    headers: { ...headers(), ...more },
    agent,
  });
  request.flushHeaders();
  const reply = new Promise<Awaited<OpenedRequest['reply']>>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.once('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: JSON.parse(text),
        }),
      );
    });
  });
  reply.catch(() => undefined);
  return { request, reply };
}
const announce = (bytes: number) => open({ 'content-length': bytes });
const bodyOf = (bytes: number) => `{"name":"${'x'.repeat(bytes - '{"name":""}'.length)}"}`;

describe('large bodies', () => {
  const largestAtOnce = 17;
  const almostBytes = limitBytes - 1;
  /** So many clients that have sent the largest body but for its last byte. */
  const openAlmostWhole = async (count: number, heldBesides = 0): Promise<OpenedRequest[]> => {
    const clients = Array.from({ length: count }, () => announce(limitBytes));
    for (const { request } of clients) request.write(Buffer.alloc(almostBytes, 0x20));
    await held(count * almostBytes + heldBesides);
    return clients;
  };

  test('seventeen of the largest fit; one more is refused before it is read, a small one is not', async () => {
    const largest = await openAlmostWhole(largestAtOnce);
    const refused = await announce(limitBytes).reply;
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.body).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      message: 'More large bodies are being worked on than can be held.',
      details: {},
    });
    const small = announce(256 * 1024);
    small.request.end(bodyOf(256 * 1024));
    expect((await small.reply).status).toBe(201);
    for (const { request } of largest) request.destroy();
    await held(0);
    const taken = announce(limitBytes);
    taken.request.end(bodyOf(limitBytes));
    expect((await taken.reply).status).toBe(201);
  });

  test('a slow client holds what it has sent and no more: a hundred that announced the largest leave room for others', async () => {
    const slow = Array.from({ length: 100 }, () => announce(limitBytes));
    for (const { request } of slow) request.write(' '.repeat(1000));
    await held(100 * 1000);
    const taken = announce(limitBytes);
    taken.request.end(bodyOf(limitBytes));
    expect((await taken.reply).status).toBe(201);
    for (const { request } of slow) request.destroy();
  });

  test('one that has room when it begins is refused in its middle when others have filled it meanwhile', async () => {
    const late = announce(limitBytes);
    late.request.write(' '.repeat(1000));
    await held(1000);
    const largest = await openAlmostWhole(largestAtOnce, 1000);
    late.request.write(' '.repeat(2 * mebibyte));
    expect((await late.reply).status).toBe(503);
    for (const { request } of [late, ...largest]) request.destroy();
  });

  test('one of unknown length is held as far as it came, and refused when that is too much', async () => {
    const largest = await openAlmostWhole(largestAtOnce);
    const counted = open({ 'transfer-encoding': 'chunked' });
    counted.request.write(' '.repeat(1000));
    await held(largestAtOnce * almostBytes + 1000);
    counted.request.end(' '.repeat(2 * mebibyte));
    expect((await counted.reply).status).toBe(503);
    for (const { request } of largest) request.destroy();
  });

  test('what a client held that vanishes in the middle of its body is released', async () => {
    const before = handled;
    const clients = [announce(limitBytes), open({ 'transfer-encoding': 'chunked' })];
    for (const { request } of clients) request.write(' '.repeat(mebibyte));
    await held(2 * mebibyte);
    for (const { request } of clients) request.destroy();
    await held(0);
    expect(handled).toBe(before);
  });

  test('one that is worked on is held until that is done, also when its client is gone', async () => {
    const finish = closeGate();
    const before = handled;
    const [leaves, stays] = [announce(mebibyte), announce(mebibyte)];
    for (const { request } of [leaves, stays]) request.end(bodyOf(mebibyte));
    await poll('both are worked on', () => handled === before + 2);
    leaves.request.destroy();
    await expect(leaves.reply).rejects.toThrow();
    for (let count = 0; count < 5; count++) expect(await heldBytes()).toBe(2 * mebibyte);
    finish();
    expect((await stays.reply).status).toBe(201);
  });

  test('two of the largest are worked on one after the other, and a small one waits for neither', async () => {
    const finish = closeGate();
    const before = handled;
    const send = (bytes: number) => {
      const { request, reply } = announce(bytes);
      request.end(bodyOf(bytes));
      return reply;
    };
    const largest = [send(limitBytes), send(limitBytes)];
    await held(2 * limitBytes);
    await poll('one is worked on', () => handled === before + 1);
    const small = send(100);
    await poll('the small one is, too', () => handled === before + 2);
    finish();
    expect((await Promise.all([...largest, small])).map(({ status }) => status)).toEqual([
      201, 201, 201,
    ]);
    expect(handled).toBe(before + 3);
  });

  test('a large reply is held until it is read or its client is gone; one more to read is refused, and what was written is answered', async () => {
    const largest = await openAlmostWhole(largestAtOnce - 1);
    const written = announce(limitBytes);
    written.request.end(bodyOf(limitBytes));
    expect((await written.reply).status).toBe(201);
    await held((largestAtOnce - 1) * almostBytes);
    const read = (size: number) =>
      fetch(`${server.url}/parcels/${size}`, { headers: headers('GET', `/parcels/${size}`) });
    const [slow, refused] = [await read(12 * mebibyte), await read(12 * mebibyte)];
    expect([slow.status, refused.status, refused.headers.get('retry-after')]).toEqual([
      200,
      503,
      '1',
    ]);
    expect((await read(100)).status).toBe(200);
    await slow.body!.cancel();
    await held((largestAtOnce - 1) * almostBytes);
    for (const { request } of largest) request.destroy();
  });

  test.each([
    ['by its Content-Length', { 'content-length': limitBytes + 1 }],
    ['by counting', { 'transfer-encoding': 'chunked' }],
  ])(
    'one over the limit of its operation is a 413, and the connection goes on: %s',
    async (_name, length) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const tooLarge = open(length, agent);
      tooLarge.request.end(Buffer.alloc(limitBytes + 1, 0x20));
      const { status, body } = await tooLarge.reply;
      expect(status).toBe(413);
      expect(body).toEqual({
        code: 'PAYLOAD_TOO_LARGE',
        message: expect.any(String),
        details: { limitBytes },
      });
      const next = open({ 'content-length': 100 }, agent);
      next.request.end(bodyOf(100));
      expect((await next.reply).status).toBe(201);
      expect(next.request.socket).toBe(tooLarge.request.socket);
      agent.destroy();
    },
  );
});

test('a service works on a thousand requests at once; one more is refused, and the next is taken when they are done', async () => {
  const requestsMax = 1024;
  const finish = closeGate();
  const before = handled;
  const body = bodyOf(100);
  const fields = Object.entries({ host: 'test', 'content-length': body.length, ...headers() }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  // In one connection, one after the other: each is worked on before the reply to the one before
  // it.
  socket.write(`POST /parcels HTTP/1.1\r\n${fields.join('')}\r\n${body}`.repeat(requestsMax + 1));
  await poll('all but one are worked on', () => handled === before + requestsMax);
  const refused = announce(100);
  refused.request.end(body);
  const { status, headers: told, body: failure } = await refused.reply;
  expect([status, told['retry-after'], failure.message]).toEqual([
    503,
    '1',
    'A part of the service takes no more requests at the moment.',
  ]);
  finish();
  const count = (status: number) => text.split(`HTTP/1.1 ${status} `).length - 1;
  await poll('all are answered', () => count(201) + count(503) === requestsMax + 1);
  expect([count(201), count(503)]).toEqual([requestsMax, 1]);
  socket.destroy();
  const taken = announce(100);
  taken.request.end(body);
  expect((await taken.reply).status).toBe(201);
});

test('a connection to the database that is reset is the database being away, not a body that ended early', async () => {
  const response = await fetch(`${server.url}/parcels/reset`, {
    headers: headers('GET', '/parcels/reset'),
  });
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { code: 'SERVICE_UNAVAILABLE' },
  ]);
});

test('a request that has arrived when the service begins to stop is answered', async () => {
  const stopping = await startServer(
    service({ name: 'stopping', summary: 'Stopping', operations: {} }),
    {},
  );
  const at = new URL(stopping.url);
  const socket = connect(Number(at.port), at.hostname);
  let received = '';
  let fault: Error | undefined;
  let isClosed = false;
  socket.on('data', (chunk) => (received += chunk));
  socket.on('error', (error) => (fault = error));
  socket.on('close', () => (isClosed = true));
  const ask = () => socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const answers = () => received.match(/HTTP\/1\.1 200 /g)?.length ?? 0;
  ask();
  await poll('the first is answered', () => answers() === 1);
  ask();
  await stopping.close();
  await poll('the connection is closed', () => isClosed);
  expect({ answers: answers(), fault }).toEqual({ answers: 2, fault: undefined });
  expect(received.toLowerCase()).toContain('connection: close');
});
