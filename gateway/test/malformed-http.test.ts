import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connect, exchange } from './connection.ts';
import { type RawReply, type Setting, startSetting } from './setting.ts';

/**
 * Published attacks on parsers of HTTP: RFC 9112 section 11 (splitting and smuggling),
 * PortSwigger's HTTP Desync Attacks and the list of Transfer-Encoding variants of its HTTP Request
 * Smuggler, CVE-2022-32213 to -32215, CVE-2023-30589, CVE-2024-22019 and CVE-2024-27982 (llhttp).
 */
let setting: Setting;
const seen: string[] = [];
beforeAll(async () => {
  setting = await startSetting();
  setting.service.behave(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    seen.push(`${request.method} ${request.url} ${Buffer.concat(pieces)}`.trim());
    response.end('{}');
  });
});
afterAll(() => setting.stop());
beforeEach(() => {
  seen.length = 0;
});

const headers = () => `host: test\r\nauthorization: Bearer ${setting.key}\r\n`;
const get = (fields = '', path = '/v2/projects') =>
  `GET ${path} HTTP/1.1\r\n${headers()}${fields}\r\n`;
const post = (fields: string, body = '') =>
  `POST /v2/projects HTTP/1.1\r\n${headers()}${fields}\r\n${body}`;
/** The request that an attacker hides, and the last of its connection. */
const hidden = () => `DELETE /v2/projects/hidden HTTP/1.1\r\n${headers()}connection: close\r\n\r\n`;
const statusesOf = (replies: RawReply[]) => replies.map(({ status }) => status);

/** Expects exactly one reply, in the shape of failures, and no request at any service. */
async function expectRefused(
  bytes: string,
  status = 400,
  code = 'VALIDATION_ERROR',
): Promise<void> {
  const replies = await exchange(setting.gateway.url, bytes);
  expect(statusesOf(replies)).toEqual([status]);
  expect(JSON.parse(replies[0]!.text)).toEqual({
    code,
    message: expect.stringMatching(/^[A-Z].*\.$/),
    details: {},
  });
  expect(replies[0]!.headers).toMatchObject({
    connection: 'close',
    'x-content-type-options': 'nosniff',
  });
  expect(replies[0]!.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(seen).toEqual([]);
  expect((await setting.send('GET', '/members')).status).toBe(200);
}

describe('is refused, and nothing behind it is taken for a request', () => {
  test.each([
    ['bare LF', (sane: string) => sane.replaceAll('\r\n', '\n')],
    ['bare CR', (sane: string) => sane.replaceAll('\r\n', '\r')],
    ['no version', (sane: string) => sane.replace(' HTTP/1.1', '')],
    ['HTTP/2.0', (sane: string) => sane.replace('HTTP/1.1', 'HTTP/2.0')],
    ['HTTP/1.2', (sane: string) => sane.replace('HTTP/1.1', 'HTTP/1.2')],
    ['HTTP/11', (sane: string) => sane.replace('HTTP/1.1', 'HTTP/11')],
    ['http/1.1', (sane: string) => sane.replace('HTTP/1.1', 'http/1.1')],
    ['a space after the version', (sane: string) => sane.replace('HTTP/1.1', 'HTTP/1.1 ')],
    ['tabs for spaces', (sane: string) => sane.replace(/ (.*) HTTP/, '\t$1\tHTTP')],
    ['a space in the path', (sane: string) => sane.replace('projects', 'pro jects')],
    ['a tab in the path', (sane: string) => sane.replace('projects', 'pro\tjects')],
    ['a NUL in the path', (sane: string) => sane.replace('projects', 'projects\0')],
    [
      'a byte beyond ASCII in the path',
      (sane: string) => sane.replace('projects', 'projects/\xe9'),
    ],
    ['no path', (sane: string) => sane.replace('/v2/projects', '')],
    ['a path of 16 KiB', (sane: string) => sane.replace('projects', 'x'.repeat(16 * 1024))],
    ['a host for a path', (sane: string) => sane.replace('/v2/projects', 'test:80')],
    ['an unknown method', (sane: string) => sane.replace('GET', 'STEAL')],
    ['a method in small letters', (sane: string) => sane.replace('GET', 'get')],
    ['a NUL in the method', (sane: string) => sane.replace('GET', 'G\0T')],
    ['a reply', (sane: string) => sane.replace(/^.*/, 'HTTP/1.1 200 OK')],
    ["TLS's first bytes", (sane: string) => `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${sane}`],
    [
      "HTTP/2's preface",
      (sane: string) => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0${sane}`,
    ],
  ])('a request line: %s', async (_name, spoil) => {
    await expectRefused(spoil(get()) + hidden());
  });

  test.each([
    ['a folded line', 'x-a: b\r\n c\r\n'],
    ['NUL in a name', 'x\0a: b\r\n'],
    ['NUL in a value', 'x-a: b\0c\r\n'],
    ['a control character in a value', 'x-a: b\x01c\r\n'],
    ['DEL in a value', 'idempotency-key: b\x7f\r\n'],
    ['CR in a value', 'x-a: b\rtransfer-encoding: chunked\r\n'],
    ['LF in a value', 'x-a: b\ntransfer-encoding: chunked\r\n'],
    ['a space before the colon', 'content-length : 5\r\n'],
    ['a space in a name', 'x a: b\r\n'],
    ['no name', ': b\r\n'],
    ['no colon', 'x-a\r\n'],
    ['a byte beyond ASCII in a name', 'x-\xe9: b\r\n'],
    ['a value of 16 KiB', `x-a: ${'b'.repeat(16 * 1024)}\r\n`],
    ['20,000 headers', 'a:b\r\n'.repeat(20_000)],
  ])('a header: %s', async (_name, field) => {
    await expectRefused(get(field) + hidden());
  });

  test.each([
    ['two hosts', 'host: other\r\n'],
    ['the same host twice', 'Host: test\r\n'],
    ['two keys', 'Authorization: Bearer ak_other\r\n'],
  ])('which header counts is not certain: %s', async (_name, field) => {
    await expectRefused(get(field) + hidden());
  });

  test.each([
    '-1',
    '+2',
    '0x2',
    '2,2',
    '2, 3',
    '2;',
    '1e0',
    '1_0',
    '2 2',
    '',
    '\x0b2',
    '\xb2',
    '99999999999999999999999',
  ])('Content-Length %j', async (length) => {
    await expectRefused(post(`content-length: ${length}\r\n`, `{}${hidden()}`));
  });

  test.each([
    ['CL.TE', 'content-length: 6\r\ntransfer-encoding: chunked\r\n'],
    ['TE.CL', 'transfer-encoding: chunked\r\ncontent-length: 5\r\n'],
    ['CL.0 and TE without a value', 'content-length: 0\r\ntransfer-encoding:\r\n'],
    ['two equal lengths', 'content-length: 5\r\ncontent-length: 5\r\n'],
    ['two lengths', 'content-length: 0\r\ncontent-length: 5\r\n'],
    ['TE.TE', 'transfer-encoding: chunked\r\ntransfer-encoding: x\r\n'],
    ['TE.TE the other way', 'transfer-encoding: x\r\ntransfer-encoding: chunked\r\n'],
    ['chunked twice', 'transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n'],
    ['a space before the colon', 'transfer-encoding : chunked\r\n'],
    ['a folded value', 'transfer-encoding:\r\n chunked\r\n'],
    ['behind a bare LF', 'x: a\ntransfer-encoding: chunked\r\n'],
  ])('which body it has is not certain: %s', async (_name, fields) => {
    await expectRefused(post(fields, `0\r\n\r\n${hidden()}`));
  });

  test.each([
    '',
    'x',
    'xchunked',
    'identity',
    'chunked, identity',
    'identity, chunked',
    'gzip, chunked',
    'chunked, chunked',
    ',chunked',
    'chunked,',
    'chunked;q=1',
    '"chunked"',
    '\x0bchunked',
    'chunked\x0c',
    'chu nked',
  ])('Transfer-Encoding %j', async (coding) => {
    await expectRefused(post(`transfer-encoding: ${coding}\r\n`, `0\r\n\r\n${hidden()}`));
  });

  test('Transfer-Encoding in HTTP/1.0', async () => {
    await expectRefused(
      post('transfer-encoding: chunked\r\n', `0\r\n\r\n${hidden()}`).replace(
        'HTTP/1.1',
        'HTTP/1.0',
      ),
    );
  });

  test.each([
    ['a size beyond 64 bits', `${'f'.repeat(17)}\r\n`],
    ['a negative size', '-1\r\n'],
    ['a signed size', '+2\r\n{}\r\n'],
    ['a size with a prefix', '0x2\r\n{}\r\n'],
    ['a size with a space', '2 \r\n{}\r\n'],
    ['a size that is none', 'g\r\n'],
    ['no size', '\r\n{}\r\n'],
    ['bare LF', '2\n{}\n0\n\n'],
    ['no end of a chunk', '2\r\n{}0\r\n\r\n'],
    ['more than the size', '2\r\n{}  \r\n'],
    ['LF in an extension (CVE-2024-27982 and its kin)', '2;\n\r\n{}\r\n'],
    ['extensions of 20,000 bytes (CVE-2024-22019)', `2;${'a'.repeat(20_000)}\r\n{}\r\n`],
    ['a request in the place of trailers', '2\r\n{}\r\n0\r\n'],
    ['Content-Length among the trailers', '0\r\ncontent-length: 5\r\n\r\n'],
    ['trailers of 20,000 bytes', `0\r\n${'a:b\r\n'.repeat(4000)}${'a'.repeat(20_000)}: b\r\n\r\n`],
  ])('a chunk: %s', async (_name, chunks) => {
    const [reply] = await exchange(
      setting.gateway.url,
      post('transfer-encoding: chunked\r\n', chunks + hidden()),
    );
    expect([reply!.status, JSON.parse(reply!.text)]).toMatchObject([
      400,
      { code: 'VALIDATION_ERROR' },
    ]);
    expect(seen).toEqual([]);
  });

  test('CONNECT, in the shape that failures have', async () => {
    await expectRefused(
      `CONNECT test:443 HTTP/1.1\r\n${headers()}\r\n${hidden()}`,
      404,
      'NOT_FOUND',
    );
  });
});

describe('is taken for nothing else than it is', () => {
  const notFound = [
    'http://test/v2/projects',
    '//v2/projects',
    '/v2//projects',
    '/v2/../v2/projects',
    '/v2/./projects',
    '*',
    '/V2/projects',
  ];
  const encoded = [
    '/v2/projects%2fp',
    '/v2/projects/%2e%2e/members',
    '/v2%2fprojects',
    '/v2/%2e%2e/livez',
    `/v2/projects/${'x'.repeat(9000)}`,
  ];
  test.each([...notFound, ...encoded, '/v2/projects\\p', '/v2;/projects'])(
    'there is no path %s',
    async (path) => {
      const replies = await exchange(setting.gateway.url, get('connection: close\r\n', path));
      expect(statusesOf(replies)).toEqual([404]);
      expect(JSON.parse(replies[0]!.text).code).toBe('NOT_FOUND');
      expect(seen).toEqual([]);
    },
  );

  test.each([
    '/projects/%00',
    '/projects/..%2f..%2finternal',
    '/projects/a;b',
    '/projects?a=%0d%0ax:%201',
  ])('a path goes to its service as it came: %s', async (path) => {
    expect(
      statusesOf(await exchange(setting.gateway.url, get('connection: close\r\n', `/v2${path}`))),
    ).toEqual([200]);
    expect(seen).toEqual([`GET ${path}`]);
  });

  test('a path with a body that streams goes to its service as it came, in the spelling of URLs', async () => {
    const streamed = 'transfer-encoding: chunked\r\nconnection: close\r\n';
    const ask = async (path: string) => {
      const head = post(streamed, '2\r\n{}\r\n0\r\n\r\n').replace('/v2/projects', `/v2${path}`);
      return statusesOf(await exchange(setting.gateway.url, head));
    };
    expect(await ask('/agents/a%2Fb"c|%00/simulate?a=%0d%0a"|')).toEqual([200]);
    expect(seen).toEqual(['POST /agents/a%2Fb%22c|%00/simulate?a=%0d%0a"| {}']);
    seen.length = 0;
    for (const id of ['..%2f..%2finternal', '%2e%2e', 'a%5c..%5cb'])
      expect(await ask(`/agents/${id}/simulate`)).toEqual([404]);
    expect(seen).toEqual([]);
  });

  test.each(['TRACE', 'PROPFIND', 'OPTIONS', 'PURGE'])('%s of a path is a 405', async (method) => {
    const replies = await exchange(
      setting.gateway.url,
      get('connection: close\r\n').replace('GET', method),
    );
    expect(statusesOf(replies)).toEqual([405]);
    expect(seen).toEqual([]);
  });

  test.each([
    [
      'a WebSocket',
      'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
    ],
    [
      'HTTP/2 (h2c smuggling)',
      'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n',
    ],
  ])(
    'an upgrade to %s is not made: the request is answered, and its connection ends',
    async (_name, fields) => {
      expect(statusesOf(await exchange(setting.gateway.url, get(fields) + hidden()))).toEqual([
        200,
      ]);
      expect(seen).toEqual(['GET /projects']);
    },
  );

  test('Expect: 100-continue without a body is answered', async () => {
    for (const fields of ['', 'content-length: 0\r\n'])
      expect(
        statusesOf(
          await exchange(
            setting.gateway.url,
            post(`expect: 100-continue\r\n${fields}connection: close\r\n`),
          ),
        ),
      ).toEqual([200]);
  });

  test('requests in a body are its text, of a GET too', async () => {
    const length = `content-length: ${hidden().length}\r\n`;
    expect(
      statusesOf(
        await exchange(setting.gateway.url, post(`${length}connection: close\r\n`, hidden())),
      ),
    ).toEqual([200]);
    expect(
      statusesOf(
        await exchange(
          setting.gateway.url,
          get(length) + hidden() + get('connection: close\r\n', '/v2/members'),
        ),
      ),
    ).toEqual([200, 200]);
    expect(seen).toEqual([`POST /projects ${hidden().trim()}`, 'GET /projects', 'GET /members']);
  });

  test('a body whose length is told after 2,500 other headers arrives whole', async () => {
    const fields = `${'a:\r\n'.repeat(2500)}content-length: 2\r\nconnection: close\r\n`;
    expect(statusesOf(await exchange(setting.gateway.url, post(fields, '{}')))).toEqual([200]);
    expect(seen).toEqual(['POST /projects {}']);
  });
});

describe('requests in line on one connection', () => {
  const line = () =>
    get() + post('content-length: 2\r\n', '{}') + get('', '/v2/nothing') + get('', '/v2/members');

  test('are answered in their order, each once', async () => {
    const replies = await exchange(setting.gateway.url, line() + hidden());
    expect(statusesOf(replies)).toEqual([200, 200, 404, 200, 200]);
    expect(seen.sort()).toEqual([
      'DELETE /projects/hidden',
      'GET /members',
      'GET /projects',
      'POST /projects {}',
    ]);
  });

  test.each([
    ['what is no HTTP', 'no request\r\n\r\n', 400],
    ['bytes beyond the Content-Length', 'xx', 400],
    ['CONNECT', 'CONNECT test:443 HTTP/1.1\r\nhost: test\r\n\r\n', 404],
  ])(
    'a request that was carried out is answered with its own answer, although %s follows',
    async (_name, more, status) => {
      expect(statusesOf(await exchange(setting.gateway.url, line() + more))).toEqual([
        200,
        200,
        404,
        200,
        status,
      ]);
      expect(seen).toContain('POST /projects {}');
    },
  );

  test('release all that they hold when their client vanishes', async () => {
    let released = 0;
    const arrived: string[] = [];
    await using slow = await startSetting({ UPSTREAM_TIMEOUT_MS: 3_600_000 });
    slow.service.behave((request, response) => {
      arrived.push(request.url!);
      request.resume();
      response.once('close', () => {
        released += 1;
      });
    });
    const client = connect(slow.gateway.url);
    const head = `HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${slow.key}\r\n`;
    client.write(`GET /v2/projects ${head}\r\n`.repeat(2));
    client.write(`POST /v2/projects ${head}content-length: 2\r\n\r\n{}`);
    await poll('the service has all three', () => arrived.length === 3);
    client.vanish();
    await poll('all three are given up', () => released === 3);
  });
});
