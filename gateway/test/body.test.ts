import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { poll } from '@assay/testing/poll';
import { volume } from '@assay/testing/volume';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { echo, type SeenRequest, type Setting, sendRaw, startSetting } from './setting.ts';

let setting: Setting;
beforeAll(async () => {
  setting = await startSetting();
});
afterAll(() => setting.stop());
afterEach(() => setting.service.behave(echo));

const limitBytes = 1024 * 1024;
const tooLarge = {
  code: 'PAYLOAD_TOO_LARGE',
  message: `The body is larger than ${limitBytes} bytes.`,
  details: { limitBytes },
};

/** Sends a body in chunks, without announcing its length. */
const sendChunked = (path: string, pieces: Buffer[], headers: Record<string, string> = {}) =>
  sendRaw(
    `${setting.gateway.url}/v2${path}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${setting.key}`,
        'transfer-encoding': 'chunked',
        ...headers,
      },
    },
    (request) => {
      for (const piece of pieces) request.write(piece);
      request.end();
    },
  );
const seenBy = (text: string) => JSON.parse(text) as SeenRequest;

describe('the limit of an operation', () => {
  test('exactly the limit goes through by Content-Length, chunked and gzip; one byte more is a 413', async () => {
    const exact = Buffer.alloc(limitBytes, 0x61);
    const over = Buffer.alloc(limitBytes + 1, 0x61);
    expect(
      ((await (await setting.send('POST', '/projects', { body: exact })).json()) as SeenRequest)
        .bytes,
    ).toBe(limitBytes);
    const refused = await setting.send('POST', '/projects', { body: over });
    expect(refused.status).toBe(413);
    expect(await refused.json()).toEqual(tooLarge);
    expect(
      seenBy((await sendChunked('/projects', [exact.subarray(0, 10), exact.subarray(10)])).text)
        .bytes,
    ).toBe(limitBytes);
    expect(
      JSON.parse((await sendChunked('/projects', [over.subarray(0, 10), over.subarray(10)])).text),
    ).toEqual(tooLarge);
    const gzip = { 'content-encoding': 'gzip' };
    expect(seenBy((await sendChunked('/projects', [gzipSync(exact)], gzip)).text).bytes).toBe(
      limitBytes,
    );
    expect(JSON.parse((await sendChunked('/projects', [gzipSync(over)], gzip)).text)).toEqual(
      tooLarge,
    );
  });

  test('a body that is announced too large is refused before it is sent', async () => {
    const reply = await sendRaw(
      `${setting.gateway.url}/v2/projects`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${setting.key}`,
          'content-length': String(limitBytes + 1),
          expect: '100-continue',
        },
      },
      (request) => {
        request.on('continue', () => request.destroy(new Error('told to send')));
        request.flushHeaders();
      },
    );
    expect(reply.status).toBe(413);
    expect(reply.headers.connection).toBe('close');
  });

  test('a client that asks first is told to send when the body is wanted', async () => {
    const reply = await sendRaw(
      `${setting.gateway.url}/v2/projects`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${setting.key}`,
          'content-length': '2',
          expect: '100-continue',
        },
      },
      (request) => {
        request.on('continue', () => request.end('{}'));
        request.flushHeaders();
      },
    );
    expect(seenBy(reply.text)).toMatchObject({ bytes: 2, text: '{}' });
  });

  test('a client that goes on sending after a 413 still reads it', async () => {
    const piece = Buffer.alloc(256 * 1024, 0x61);
    const reply = await sendChunked(
      '/projects',
      Array.from({ length: 64 }, () => piece),
    );
    expect(JSON.parse(reply.text)).toEqual(tooLarge);
  });

  test('a streamed operation without a limit takes any length, and its service sees the length that was announced', async () => {
    const large = Buffer.alloc(20 * 1024 * 1024, 0x0a);
    const reply = await setting.send('POST', '/testsets/t/testcases/import', {
      body: large,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const seen = (await reply.json()) as SeenRequest;
    expect(seen.bytes).toBe(large.length);
    expect(seen.headers['content-length']).toBe(String(large.length));
  });
});

describe('gzip', () => {
  test('a small body arrives decoded, without a word of its coding', async () => {
    const reply = await setting.send('POST', '/projects', {
      body: gzipSync('{"a":1}'),
      headers: { 'content-encoding': 'GZIP', 'content-type': 'application/json' },
    });
    const seen = (await reply.json()) as SeenRequest;
    expect(seen).toMatchObject({ text: '{"a":1}' });
    expect(seen.headers['content-encoding']).toBeUndefined();
  });

  test('a bomb ends at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(volume(256 * 1024 * 1024)), { level: 9 });
    expect(bomb.length).toBeLessThan(limitBytes);
    const reply = await setting.send('POST', '/projects', {
      body: bomb,
      headers: { 'content-encoding': 'gzip' },
    });
    expect(reply.status).toBe(413);
    expect(await reply.json()).toEqual(tooLarge);
  });

  test('a few bytes of gzip cannot become a streamed body that keeps a service for hours', async () => {
    const line = Buffer.from('{"inputs":{"question":"How long does it take?"}}\n'.repeat(6000));
    const text = Buffer.concat(
      Array.from({ length: 64 }, (_, index) => Buffer.concat([Buffer.from(`${index}`), line])),
    );
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/x-ndjson' };
    const upload = (bytes: Buffer) =>
      setting.send('POST', '/testsets/t/testcases/import', { body: gzipSync(bytes), headers });
    for (const bytes of [
      Buffer.alloc(4 * 1024 * 1024, '\n'),
      Buffer.concat([text.subarray(0, 4096), randomBytes(1_000_000)]),
    ])
      expect(((await (await upload(bytes)).json()) as SeenRequest).bytes).toBe(bytes.length);
    for (const bytes of [Buffer.alloc(volume(256 * 1024 * 1024), '\n'), text]) {
      const reply = await upload(bytes);
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: 'The body must not be more than 200 times as large as its gzip.',
      });
    }
  });

  test('broken and cut gzip is a 400', async () => {
    const whole = gzipSync(Buffer.from('{"name":"a name that is long enough"}'));
    for (const body of [Buffer.from('not gzip at all'), whole.subarray(0, whole.length - 12)]) {
      const reply = await setting.send('POST', '/projects', {
        body,
        headers: { 'content-encoding': 'gzip' },
      });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toEqual({
        code: 'MALFORMED_JSON',
        message: 'The body is not valid gzip.',
        details: {},
      });
    }
  });

  test('another coding is a 415', async () => {
    for (const coding of ['br', 'deflate', 'gzip, br']) {
      const reply = await setting.send('POST', '/projects', {
        body: '{}',
        headers: { 'content-encoding': coding },
      });
      expect(reply.status).toBe(415);
      expect(((await reply.json()) as { code: string }).code).toBe('UNSUPPORTED_MEDIA_TYPE');
    }
  });
});

describe('streams', () => {
  test('a service that reads slowly slows its client down', async () => {
    let arrived: ((go: () => void) => void) | undefined;
    const started = new Promise<() => void>((resolve) => {
      arrived = resolve;
    });
    setting.service.behave((request, response) => {
      request.pause();
      arrived!(() => {
        request.resume();
        request.once('end', () => response.end('{}'));
      });
    });
    let isDrained = true;
    const reply = sendRaw(
      `${setting.gateway.url}/v2/testsets/t/testcases/import`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${setting.key}`, 'content-type': 'text/csv' },
      },
      (request) => {
        const piece = Buffer.alloc(1024 * 1024);
        for (let count = 0; count < 64; count++) isDrained = request.write(piece);
        request.end();
      },
    );
    const go = await started;
    expect(isDrained).toBe(false);
    go();
    expect((await reply).status).toBe(200);
  });

  test('a reply is passed on as it comes, piece by piece', async () => {
    let goOn: (() => void) | undefined;
    setting.service.behave((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"index":0}\n');
      goOn = () => response.end('{"index":1}\n');
    });
    const reply = await setting.send('GET', '/testsets/t/testcases/export');
    const reader = reply.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('{"index":0}\n');
    goOn!();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('{"index":1}\n');
    expect((await reader.read()).done).toBe(true);
  });

  test.each(['/projects', '/testsets/t/testcases/export'])(
    'a client that vanishes releases the service, before the reply and in the middle of it: %s',
    async (path) => {
      for (const starts of [false, true]) {
        let isReleased = false;
        let isReached = false;
        setting.service.behave((_request, response) => {
          if (starts) response.write('x');
          isReached = true;
          response.once('close', () => {
            isReleased = true;
          });
        });
        const controller = new AbortController();
        const reply = setting
          .send('GET', path, { signal: controller.signal })
          .then((response) => response.text())
          .catch(() => 'gone');
        await poll('the service has the request', () => isReached);
        controller.abort();
        await poll('the service is released', () => isReleased);
        expect(await reply).toBe('gone');
      }
    },
  );

  test('a client that vanishes in the middle of its body leaves the service no whole request', async () => {
    let outcome: string | undefined;
    setting.service.behave((request) => {
      request.resume();
      request.once('end', () => {
        outcome = 'whole';
      });
      request.once('error', () => {
        outcome = 'cut';
      });
    });
    let cut: (() => void) | undefined;
    const reply = sendRaw(
      `${setting.gateway.url}/v2/runs/r/records`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${setting.key}`, 'content-length': '1000000' },
      },
      (request) => {
        request.write(Buffer.alloc(400_000), () => {
          cut = () => request.destroy();
        });
      },
    ).catch(() => 'gone');
    await poll('the first part is sent', () => cut !== undefined);
    cut!();
    expect(await reply).toBe('gone');
    expect(await poll('the service sees the end', () => outcome)).toBe('cut');
  });
});
