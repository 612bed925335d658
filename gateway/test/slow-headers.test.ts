import { createLog } from '@assay/runtime/log';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpEdge, type HttpEdge } from '../src/server.ts';
import { type Connection, connect, headOf } from './connection.ts';
import { type Setting, startSetting } from './setting.ts';

/** Sends a byte every few milliseconds until the gateway has enough of it. */
async function dribble(client: Connection, bytes: string): Promise<void> {
  let sent = 0;
  await poll('the gateway answers or closes', () => {
    client.write(bytes[sent++ % bytes.length]!);
    return client.received() || client.isClosed();
  });
}

/** Slowloris (CVE-2007-6750), its kin, and floods of headers. */
describe('headers', () => {
  const tooSlow = 'The headers took too long: they must be complete within 0.4 seconds.';
  let edge: HttpEdge;
  let url: string;
  beforeAll(async () => {
    edge = createHttpEdge({
      faultOf: () => undefined,
      silenceMs: 60_000,
      headersMs: 400,
      connectionsMax: 1000,
      closed: () => undefined,
      log: createLog({ name: 'test', level: 'silent' }),
    });
    edge.app.get('/', async () => ({}));
    url = await edge.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => edge.close());

  test.each([
    ['one byte at a time', 'GET / HTTP/1.1\r\nhost: test\r\nx: ', 'a'],
    ['one header at a time', 'GET / HTTP/1.1\r\nhost: test\r\n', 'a: b\r\n'],
    ['not even the path', 'G', 'E'],
    ['nothing', '', ''],
  ])(
    'that come too slowly are a 400 and the end of the connection, while others are served: %s',
    async (_name, first, more) => {
      const slow = connect(url);
      slow.write(first);
      if (more === '') await poll('the gateway answers', slow.received);
      else await dribble(slow, more);
      const other = connect(url);
      other.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
      expect((await other.reply()).status).toBe(200);
      const reply = await slow.reply();
      expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
        400,
        { code: 'VALIDATION_ERROR' },
      ]);
      if (more !== 'E') expect(JSON.parse(reply.text).message).toBe(tooSlow);
      await poll('the connection is closed', slow.isClosed);
      other.vanish();
    },
  );

  test('without an end are a 400 at 15 KiB: what a hundred connections go on to send is held by nobody', async () => {
    const clients = Array.from({ length: 100 }, () => connect(url));
    const flood = 'x-flood: 0123456789\r\n'.repeat(3000);
    for (const client of clients) client.write(`GET / HTTP/1.1\r\nhost: test\r\n${flood}`);
    for (const client of clients) {
      const reply = await client.reply();
      expect([reply.status, JSON.parse(reply.text).message]).toEqual([
        400,
        'The headers are larger than 15360 bytes.',
      ]);
      client.write(flood);
    }
    await poll('every connection is closed', () => clients.every((client) => client.isClosed()));
    await poll('none is counted', () => edge.connections() === 0);
  });
});

describe('a chunked body', () => {
  let setting: Setting;
  beforeAll(async () => {
    setting = await startSetting({ BODY_SILENCE_MS: 300 });
  });
  afterAll(() => setting.stop());

  test.each([
    ['the extension of a chunk', '2;'],
    ['leading zeros of a size', '0'],
    ['trailers', '2\r\n{}\r\n0\r\nx: '],
  ])(
    'whose bytes are none of its own is silent, and refused while others are served: %s',
    async (_name, first) => {
      const slow = connect(setting.gateway.url);
      const headers = {
        authorization: `Bearer ${setting.key}`,
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
      };
      slow.write(headOf('POST', '/projects', headers));
      slow.write(first);
      await dribble(slow, '0');
      expect((await setting.send('GET', '/projects')).status).toBe(200);
      const reply = await slow.reply();
      expect([reply.status, JSON.parse(reply.text).message]).toEqual([
        400,
        'The body took too long: nothing of it came for 0.3 seconds.',
      ]);
      await poll('the connection is closed', slow.isClosed);
    },
  );
});
