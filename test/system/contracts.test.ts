import { gzipSync } from 'node:zlib';
import { contracts } from '@assay/contracts/all';
import { bodyBytesDefault, isDocumented, type List, type Operation } from '@assay/contracts/define';
import { otlpBytesMax } from '@assay/contracts/traces';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from './installation.ts';

let assay: SharedInstallation;
beforeAll(async () => {
  assay = await shareInstallation();
});

const missingId = '00000000-0000-7000-8000-000000000000';
const operations: [string, Operation | List][] = contracts
  .flatMap(({ operations }) => Object.entries(operations))
  .filter(([, definition]) => isDocumented(definition));
const keyed = operations.filter(([, { access }]) => access !== 'signature' && access !== 'keyless');
const withBody = keyed.filter(([, { body }]) => body);
const lists = keyed.filter(([, definition]) => 'item' in definition);
const posts = keyed.filter(([, { method, streams }]) => method === 'POST' && !streams);

/** The operation's path with every parameter filled in, and its example's query. */
function pathOf(
  { path, example }: Operation,
  value = missingId,
  more: Record<string, string> = {},
) {
  const query = new URLSearchParams({ ...example?.query, ...more }).toString();
  return `${path.replaceAll(/:\w+/g, value)}${query === '' ? '' : `?${query}`}`;
}

/** Every failure has the contract's shape and says nothing of the inside. */
function expectFailure(
  reply: { status: number; body: { code: string; message: string; details: object }; text: string },
  status: number,
  code: string,
) {
  expect([reply.status, reply.body.code]).toEqual([status, code]);
  expect(Object.keys(reply.body)).toEqual(['code', 'message', 'details']);
  expect(reply.body.message).toMatch(/\.$/);
  expect(reply.text).not.toMatch(/127\.0\.0\.1|mongo|nats|\bat .*\.[jt]s/i);
}

describe.each(keyed)('%s', (_name, definition) => {
  test('without a key, or with a wrong one, answers 401 before anything else', async () => {
    const missing = await assay.call(definition.method, pathOf(definition), undefined, {
      key: null,
    });
    expectFailure(missing, 401, 'UNAUTHORIZED');
    expect(missing.body.message).toMatch(/missing/i);
    const wrong = await assay.call(definition.method, pathOf(definition, '%20'), undefined, {
      key: 'ak_wrong',
      ...(definition.method === 'GET' ? {} : { raw: '{' }),
    });
    expectFailure(wrong, 401, 'UNAUTHORIZED');
    expect(wrong.body.message).toMatch(/invalid/i);
  });

  test('another method on its path answers 405 with what is allowed', async () => {
    const reply = await assay.call('OPTIONS', pathOf(definition));
    expectFailure(reply, 405, 'METHOD_NOT_ALLOWED');
    expect(reply.headers.get('allow')!.split(', ')).toContain(definition.method);
  });

  test('every reply has a request id, and takes a sane one from the request', async () => {
    const reply = await assay.call(definition.method, pathOf(definition), undefined, {
      headers: { 'x-request-id': 'mine-1' },
    });
    expect(reply.headers.get('x-request-id')).toBe('mine-1');
  });
});

describe.each(withBody)('%s', (_name, definition) => {
  const send = (raw: string | Uint8Array, headers = {}) =>
    assay.call(definition.method, pathOf(definition), undefined, { raw, headers });

  test('a body that is no JSON, no UTF-8, or too deep is refused, of another type is unsupported', async () => {
    expectFailure(await send('{'), 400, 'MALFORMED_JSON');
    expectFailure(
      await send(new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])),
      400,
      'MALFORMED_JSON',
    );
    expectFailure(
      await send(`{"a":${'['.repeat(600)}${']'.repeat(600)}}`),
      400,
      'VALIDATION_ERROR',
    );
    expectFailure(
      await send('a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
    const issues = (await send('[]')).body.details.issues;
    expect(issues[0]).toEqual({ path: expect.any(String), message: expect.any(String) });
  });

  test('a body one byte over its limit is a 413 that says the limit, by its length or by counting', async () => {
    const limitBytes = definition.bodyBytesMax ?? bodyBytesDefault;
    const body = `"${' '.repeat(limitBytes - 1)}"`;
    const told = await send(body);
    expectFailure(told, 413, 'PAYLOAD_TOO_LARGE');
    expect(told.body.details).toEqual({ limitBytes });
    const counted = await fetch(`${assay.url}/v2${pathOf(definition)}`, {
      method: definition.method,
      headers: { authorization: `Bearer ${assay.key}`, 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(counted.status).toBe(413);
  });
});

describe.each(lists)('%s', (_name, definition) => {
  test('a limit out of 1 to 100 and a foreign cursor are refused with their place', async () => {
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '']) {
      const reply = await assay.call('GET', pathOf(definition, missingId, { limit }));
      expectFailure(reply, 400, 'VALIDATION_ERROR');
      expect(reply.body.details.issues[0].path).toBe('?limit');
    }
    for (const cursor of ['x', 'AAAA', missingId]) {
      const reply = await assay.call('GET', pathOf(definition, missingId, { cursor }));
      expectFailure(reply, 400, 'VALIDATION_ERROR');
      expect(reply.body.details.issues[0].path).toBe('?cursor');
    }
  });
});

describe.each(posts)('%s', (_name, definition) => {
  test('an empty or endless Idempotency-Key is refused', async () => {
    for (const key of ['', 'x'.repeat(256)]) {
      const reply = await assay.call('POST', pathOf(definition), definition.body ? {} : undefined, {
        headers: { 'idempotency-key': key },
      });
      expectFailure(reply, 400, 'VALIDATION_ERROR');
    }
  });
});

describe.each(keyed.filter(([, { path, params }]) => /:\w+Id/.test(path) && !params))(
  '%s',
  (_name, definition) => {
    test('an id that is not there, or is not of our form, is a 404 in the same words', async () => {
      const body = definition.body && (definition.example as { body?: unknown } | undefined)?.body;
      const [absent, malformed] = [
        await assay.call(definition.method, pathOf(definition), body),
        await assay.call(definition.method, pathOf(definition, 'x'), body),
      ];
      expectFailure(absent, 404, 'NOT_FOUND');
      expectFailure(malformed, 404, 'NOT_FOUND');
      expect(Object.keys(malformed.body.details)).toEqual(['resource', 'id']);
    });
  },
);

test('a path that is no operation is a 404, with or without a key', async () => {
  for (const key of [null, assay.key])
    for (const path of ['/nothing', '/projects/', '/projects/%zz', '/internal/judgements'])
      expectFailure(await assay.call('GET', path, undefined, { key }), 404, 'NOT_FOUND');
});

test('the removed operation is gone, whatever its id', async () => {
  expectFailure(await assay.call('POST', '/agents/any/simulate'), 410, 'GONE');
});

/** A few kilobytes of gzip, and one byte more than an export may have. */
const bomb = gzipSync(Buffer.alloc(otlpBytesMax + 1));

describe.each(['application/x-protobuf', 'application/json'])('an export of %s', (type) => {
  /** The code of google.rpc.Code and the message of a refusal. */
  function statusIn({ text, body }: { text: string; body: unknown }): unknown {
    if (type === 'application/json') return body;
    const bytes = Buffer.from(text);
    // Field 1 is the code; field 2 the message, of which less than 128 bytes are expected.
    expect([bytes[0], bytes[2], bytes.length]).toEqual([0x08, 0x12, 4 + bytes[3]!]);
    return { code: bytes[1], message: bytes.toString('utf8', 4) };
  }
  const send = (raw: string | Buffer, headers = {}, key: string | null = assay.key) =>
    assay.call('POST', '/otel/v1/traces', undefined, {
      raw,
      key,
      headers: { 'content-type': type, ...headers },
    });

  test('that is a gzip bomb is refused at the limit, and the next one is taken', async () => {
    const refused = await send(bomb, { 'content-encoding': 'gzip' });
    expect([refused.status, refused.headers.get('content-type')]).toEqual([413, type]);
    expect(statusIn(refused)).toEqual({
      code: 3,
      message: `The body is larger than ${otlpBytesMax} bytes.`,
    });
    const next = await send(type === 'application/json' ? '{}' : '');
    expect([next.status, next.headers.get('content-type')]).toEqual([200, type]);
  });

  test('without a key is refused as google.rpc.Status', async () => {
    const refused = await send('', {}, null);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([401, type]);
    expect(statusIn(refused)).toMatchObject({ code: 16 });
  });
});

test('an export of another content type is a 415 that names those that are taken', async () => {
  const reply = await assay.call('POST', '/otel/v1/traces', undefined, {
    raw: '<spans/>',
    headers: { 'content-type': 'text/xml' },
  });
  expect([reply.status, reply.body]).toEqual([
    415,
    { code: 3, message: expect.stringContaining('application/x-protobuf') },
  ]);
});
