import { gzipSync } from 'node:zlib';
import { serviceNames } from '@assay/contracts/all';
import {
  digestOf,
  noBody,
  type OpenedIdentity,
  openIdentity,
  requestAct,
  streamedBody,
} from '@assay/runtime/signature';
import { keysOf } from '@assay/testing/keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Setting, sendRaw, startSetting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting();
});
afterAll(() => setting.stop());

async function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
) {
  const reply = await fetch(`${setting.gateway.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const failure = (code: string) => ({ code, message: expect.any(String), details: {} });
const recordBytesMax = 15 * 1024 * 1024;

describe('each answer comes before the next', () => {
  test('an unknown path is a 404 with and without a key, whatever the method', async () => {
    for (const path of [
      '/',
      '/v2',
      '/v2/',
      '/v2/nothing',
      '/api/v2/nothing',
      '/v3/projects',
      '/projects',
      '/v2/projects/',
      '/v2//projects',
      '/:a(',
      '/v2/:a(',
      '/docs/**',
    ]) {
      for (const headers of [{}, bearer(setting.key), bearer('ak_wrong')]) {
        const reply = await ask('POST', path, headers);
        expect([path, reply.status]).toEqual([path, 404]);
        expect(reply.body).toEqual({
          code: 'NOT_FOUND',
          message: 'There is no such route.',
          details: {},
        });
      }
    }
  });

  test('a path that cannot be decoded is a 404', async () => {
    for (const path of ['/v2/projects/%', '/v2/projects/%zz', '/v2/projects/%ff', '/v2/%E0%A4%A'])
      expect((await ask('GET', path, bearer(setting.key))).body.code).toBe('NOT_FOUND');
  });

  test('operations that only services may call do not exist for clients', async () => {
    for (const path of [
      '/v2/internal/records-for-scoring',
      '/v2/internal/judgements',
      '/api/v2/internal/judgements',
      '/v2/%69nternal/judgements',
    ])
      expect((await ask('POST', path, bearer(setting.key))).status).toBe(404);
  });

  test('a missing key is told from an invalid one, and neither from anything more', async () => {
    const missing = await ask('DELETE', '/v2/projects');
    expect(missing.status).toBe(401);
    expect(missing.body).toEqual(failure('UNAUTHORIZED'));
    expect(missing.body.message).toContain('missing');
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    for (const authorization of [
      'Bearer',
      'Bearer x',
      'Bearer ak_unknown',
      'Basic YTpi',
      'Bearer ak_a b',
      `Bearer ak_${'x'.repeat(5000)}`,
    ]) {
      const invalid = await ask('GET', '/v2/projects', { authorization });
      expect(invalid.status).toBe(401);
      expect(invalid.body).toEqual({
        code: 'UNAUTHORIZED',
        message: 'The API key is invalid.',
        details: {},
      });
    }
  });

  test('a token-shaped key is told that such keys ended on 20 July 2025', async () => {
    const reply = await ask(
      'GET',
      '/v2/projects',
      bearer('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'),
    );
    expect(reply.status).toBe(401);
    expect(reply.body.message).toContain('20 July 2025');
  });

  test("the scheme's case does not matter", async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      expect(
        (await ask('GET', '/v2/projects', { authorization: `${scheme} ${setting.key}` })).status,
      ).toBe(200);
  });

  test('another method of a known path is a 405 with Allow, after the key was checked', async () => {
    expect((await ask('DELETE', '/v2/projects')).status).toBe(401);
    const reply = await ask('DELETE', '/v2/projects', bearer(setting.key));
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET, POST');
    expect(reply.body).toEqual(failure('METHOD_NOT_ALLOWED'));
    const head = await fetch(`${setting.gateway.url}/v2/projects`, {
      method: 'HEAD',
      headers: bearer(setting.key),
    });
    expect(head.status).toBe(405);
  });

  test('a member key on an admin operation is a 403, before its size is looked at; an admin key goes through', async () => {
    const member = setting.identity.key({ role: 'member' });
    const reply = await ask(
      'POST',
      '/v2/members',
      { ...bearer(member) },
      'x'.repeat(2 * 1024 * 1024),
    );
    expect(reply.status).toBe(403);
    expect(reply.body).toEqual(failure('FORBIDDEN'));
    expect((await ask('POST', '/v2/members', bearer(setting.key), '{}')).status).toBe(200);
    expect((await ask('GET', '/v2/members', bearer(member))).status).toBe(200);
  });

  test('an operation that is signed by its URL needs no bearer, and is passed on as nobody', async () => {
    const reply = await ask('PUT', '/v2/attachments/a/content?upload=1&signature=x', {}, 'bytes');
    expect(reply.status).toBe(200);
    expect(reply.body.url).toBe('/attachments/a/content?upload=1&signature=x');
    const [sealed] = (reply.body.headers['x-assay-identity'] as string).split('.');
    expect(JSON.parse(Buffer.from(sealed!, 'base64url').toString())).toMatchObject({
      organizationId: '',
      userId: '',
      role: 'anonymous',
    });
  });
});

describe('the rate limit', () => {
  test('counts by organization, tells what is left, and answers 429 with Retry-After before it looks at the size', async () => {
    await using limited = await startSetting({ RATE_LIMIT_PER_MINUTE: 2 });
    const other = limited.identity.key();
    const first = await limited.send('GET', '/projects');
    expect(first.headers.get('ratelimit-limit')).toBe('2');
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    await limited.send('GET', '/projects');
    const refused = await limited.send('POST', '/projects', { body: 'x'.repeat(2 * 1024 * 1024) });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    expect(await refused.json()).toEqual(failure('RATE_LIMITED'));
    expect((await limited.send('GET', '/projects', { headers: bearer(other) })).status).toBe(200);
  });
});

describe('request ids', () => {
  test('a sane one is kept on every reply and passed on, any other is replaced', async () => {
    const kept = await ask('GET', '/v2/projects', {
      ...bearer(setting.key),
      'x-request-id': 'Abc.1_2-3',
    });
    expect(kept.headers.get('x-request-id')).toBe('Abc.1_2-3');
    expect(kept.body.headers['x-assay-identity']).toMatch(/\.Abc\.1_2-3$/);
    for (const insane of ['', 'a b', 'ä', 'x'.repeat(129), '<script>'])
      for (const path of ['/v2/projects', '/v2/nothing', '/livez']) {
        const reply = await sendRaw(
          `${setting.gateway.url}${path}`,
          { method: 'GET', headers: { 'x-request-id': Buffer.from(insane).toString('latin1') } },
          (request) => request.end(),
        );
        expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      }
  });

  test('what is not HTTP gets an answer in the error shape', async () => {
    const reply = await sendRaw(
      `${setting.gateway.url}/v2/projects`,
      { method: 'GET', headers: { 'x-large': 'x'.repeat(20_000) } },
      (request) => request.end(),
    );
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toEqual(failure('VALIDATION_ERROR'));
  });
});

describe('what is passed on', () => {
  /** Only the service that is asked can open it. */
  function openedBy(
    service: string,
    headers: Record<string, string>,
    method: string,
    path: string,
  ): OpenedIdentity[] {
    try {
      return [openIdentity(keysOf(service), (name) => headers[name], requestAct(method, path))];
    } catch {
      return [];
    }
  }

  test('is signed with its method, path, query and body; a body that streams is marked as one', async () => {
    const passed = async (method: string, path: string, init: RequestInit = {}) => {
      const { headers } = (await (await setting.send(method, path, init)).json()) as {
        headers: Record<string, string>;
      };
      const opened = serviceNames.flatMap((name) => openedBy(name, headers, method, path));
      expect(opened).toHaveLength(1);
      return opened[0]!.digest;
    };
    const body = JSON.stringify({ name: 'x' });
    expect(await passed('GET', '/projects?limit=5&x=%2F')).toBe(noBody);
    expect(await passed('POST', '/projects', { body })).toBe(digestOf(body));
    expect(await passed('DELETE', '/projects/p')).toBe(noBody);
    expect(
      await passed('POST', '/runs/r/records', { body: Buffer.alloc(256 * 1024 + 1, 0x20) }),
    ).toBe(streamedBody);
    const gzipped = { body: gzipSync(body), headers: { 'content-encoding': 'gzip' } };
    expect(await passed('POST', '/projects', gzipped)).toBe(streamedBody);
    expect(
      await passed('POST', '/runs/r/records/bulk', {
        body,
        headers: { 'content-type': 'application/x-ndjson' },
      }),
    ).toBe(streamedBody);
  });

  test('the raw path and query, the headers that count, and nothing else of the client', async () => {
    const headers = {
      ...bearer(setting.key),
      'idempotency-key': 'i',
      accept: 'a/b',
      'last-event-id': '7',
      range: 'bytes=0-1',
      cookie: 'c',
      'x-assay-identity': 'forged',
      'x-forwarded-for': '1.2.3.4',
    };
    const reply = await ask('GET', '/v2/sessions/a%2Fb%20c%25/attachments?limit=5&x=%2F', headers);
    expect(reply.body.url).toBe('/sessions/a%2Fb%20c%25/attachments?limit=5&x=%2F');
    expect(reply.body.headers).toMatchObject({
      'idempotency-key': 'i',
      accept: 'a/b',
      'last-event-id': '7',
      range: 'bytes=0-1',
    });
    expect(Object.keys(reply.body.headers)).not.toContain('authorization');
    expect(Object.keys(reply.body.headers)).not.toContain('cookie');
    expect(reply.body.headers['x-assay-identity']).not.toBe('forged');
    expect((await ask('GET', '/api/v2/projects?limit=1', headers)).body.url).toBe(
      '/projects?limit=1',
    );
  });

  test('replies carry the safe headers and nothing of the machinery', async () => {
    setting.service.behave((_request, response) => {
      response
        .writeHead(201, {
          server: 'inside/1',
          'x-powered-by': 'inside',
          'x-own': 'kept',
          'set-cookie': ['a=1', 'b=2'],
        })
        .end('{}');
    });
    const reply = await setting.send('POST', '/projects', { body: '{}' });
    setting.service.behave((await import('./setting.ts')).echo);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('x-own')).toBe('kept');
    expect(reply.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('server')).toBeNull();
    expect(reply.headers.get('x-powered-by')).toBeNull();
  });

  test('a service may say for how long its reply may be kept; by default nobody keeps it', async () => {
    const cacheControl = 'private, no-cache';
    setting.service.behave((_request, response) => {
      response.writeHead(200, { 'cache-control': cacheControl }).end('{}');
    });
    const own = await setting.send('GET', '/projects');
    setting.service.behave((await import('./setting.ts')).echo);
    expect(own.headers.get('cache-control')).toBe(cacheControl);
    for (const path of ['/projects', '/nowhere']) {
      const { headers } = await setting.send('GET', path);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('a body over the limit of record creation is refused, one of exactly the limit goes through', async () => {
    const exact = await setting.send('POST', '/runs/r/records', {
      body: Buffer.alloc(recordBytesMax, 0x20),
    });
    expect((await exact.json()) as object).toMatchObject({ bytes: recordBytesMax });
    const over = await setting.send('POST', '/runs/r/records', {
      body: Buffer.alloc(recordBytesMax + 1, 0x20),
    });
    expect(over.status).toBe(413);
    expect(((await over.json()) as { details: object }).details).toEqual({
      limitBytes: recordBytesMax,
    });
  });
});
