import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { ownKeys } from '@assay/runtime/signature';
import { keysOf } from '@assay/testing/keys';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignedUrls } from '../src/signed-urls.ts';
import { createClient, publicUrl, type Setting, sha256Of, startOnDisk } from './setting.ts';

let setting: Setting;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  setting = await startOnDisk();
  client = createClient(setting);
});
afterAll(() => setting.stop());

const unfinished = () => readdir(join(setting.folder, 'temporary')).catch(() => []);

/** Sends a body piece by piece, without a length unless one is given, and stops at the answer. */
async function send(
  url: string,
  pieces: Iterable<Uint8Array>,
  headers: Record<string, string | number> = {},
) {
  const path = url.slice(publicUrl.length);
  const outgoing = request(setting.world.urls.sessions + path, {
    method: 'PUT',
    headers: {
      'content-type': 'application/octet-stream',
      ...setting.world.sealed('PUT', path, { role: 'anonymous' }),
      ...headers,
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.once('response', (response) => resolve(response.statusCode!));
    outgoing.once('error', reject);
  });
  let isOver = false;
  const over = answered.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  let sentBytes = 0;
  try {
    for (const piece of pieces) {
      if (isOver) break;
      sentBytes += piece.byteLength;
      if (!outgoing.write(piece))
        await Promise.race([over, new Promise((resolve) => outgoing.once('drain', resolve))]);
    }
    if (!isOver) outgoing.end();
    return { status: await answered, sentBytes };
  } finally {
    outgoing.destroy();
  }
}

function* pieces(count: number, sizeBytes = 64 * 1024): Generator<Uint8Array> {
  for (let index = 0; index < count; index++) yield Buffer.alloc(sizeBytes, index);
}

describe('signed URLs', () => {
  test('an upload URL works for its own attachment, size and hash, and until it expires', async () => {
    const one = (await client.declare('one', { filePath: '1' })).body;
    const other = (await client.declare('two', { filePath: '2' })).body;
    const change = (name: string, value: string) => {
      const url = new URL(one.uploadUrl);
      url.searchParams.set(name, value);
      return url.toString();
    };
    const carried = new URL(one.uploadUrl).searchParams.get('upload')!;
    const forged = [
      one.uploadUrl.replace(one.id, other.id),
      change('upload', carried.replace(/[^.]*$/, '2')),
      change('upload', carried.replace(sha256Of('one'), sha256Of('two'))),
      change('upload', carried.replace(setting.world.identity.organizationId, one.id)),
      change('expires', String(Date.now() + 86_400_000)),
      change('signature', 'A'.repeat(43)),
      change('signature', ''),
    ];
    for (const url of forged) {
      const reply = await client.put(url, 'one');
      expect([url, reply.status]).toEqual([url, 403]);
      expect(((await reply.json()) as { code: string }).code).toBe('FORBIDDEN');
    }
    expect((await client.put(one.uploadUrl, 'one')).status).toBe(200);
  });

  test('an expired URL is refused, as is one that another secret signed or that was signed for the other purpose', async () => {
    const bytes = 'expired';
    const { id } = await client.attach(bytes);
    const address = {
      attachmentId: id,
      organizationId: setting.world.identity.organizationId,
      sha256: sha256Of(bytes),
    };
    const upload = { ...address, sizeBytes: bytes.length };
    const clock = () => new Date();
    const ours = createSignedUrls({ keys: () => ownKeys(keysOf('sessions')), publicUrl, clock });
    const theirs = createSignedUrls({ keys: () => ['x'.repeat(32)], publicUrl, clock });
    const soon = new Date(Date.now() + 60_000);
    const past = new Date(Date.now() - 1);
    expect((await setting.fetch(ours.downloadUrl(address, soon))).status).toBe(200);
    for (const url of [ours.downloadUrl(address, past), theirs.downloadUrl(address, soon)])
      expect((await setting.fetch(url)).status).toBe(403);
    for (const url of [ours.uploadUrl(upload, past), theirs.uploadUrl(upload, soon)])
      expect((await client.put(url, bytes)).status).toBe(403);
    const asUpload = ours.downloadUrl(address, soon).replace('download=', 'upload=');
    expect((await client.put(asUpload, bytes)).status).toBe(403);
  });

  test('a URL of a declaration that was replaced is refused, and what it brings is not kept', async () => {
    const place = { sessionId: 'replaced', filePath: 'x' };
    const first = (await client.declare('first', place)).body;
    await client.declare('second', place);
    const late = await client.put(first.uploadUrl, 'first');
    expect([late.status, ((await late.json()) as { code: string }).code]).toEqual([
      409,
      'CONFLICT',
    ]);
    expect(await setting.contents()).not.toContain(sha256Of('first'));
  });
});

describe('uploads', () => {
  test('a Content-Length other than declared is refused', async () => {
    const { uploadUrl } = (await client.declare('12345')).body;
    for (const body of ['1234', '123456', ''])
      expect((await client.put(uploadUrl, body)).status).toBe(400);
    expect(await unfinished()).toEqual([]);
  });

  test('a chunked body is counted: too few bytes are refused at its end, too many while it still comes', async () => {
    const { uploadUrl } = (await client.declare(Buffer.alloc(100_000))).body;
    expect((await send(uploadUrl, pieces(1))).status).toBe(400);
    const flood = await send(uploadUrl, pieces(10_000));
    expect(flood.status).toBe(400);
    expect(flood.sentBytes).toBeLessThan(64 * 1024 * 1024);
    expect(await unfinished()).toEqual([]);
  });

  test('a chunked body of the declared bytes is taken, whatever its type', async () => {
    const bytes = Buffer.concat([...pieces(3)]);
    const { id, uploadUrl } = (await client.declare(bytes)).body;
    expect((await send(uploadUrl, pieces(3), { 'content-type': 'application/json' })).status).toBe(
      200,
    );
    expect((await client.commit(id)).body.sha256).toBe(sha256Of(bytes));
  });

  test('an upload that breaks off leaves nothing, and the same URL works again', async () => {
    const bytes = Buffer.concat([...pieces(4)]);
    const { id, uploadUrl } = (await client.declare(bytes)).body;
    function* broken() {
      yield* pieces(2);
      throw new Error('the line is cut');
    }
    await expect(send(uploadUrl, broken(), { 'content-length': bytes.length })).rejects.toThrow(
      'the line is cut',
    );
    await poll('what came of it is removed', async () => (await unfinished()).length === 0);
    expect((await client.commit(id)).status).toBe(409);
    expect((await client.put(uploadUrl, bytes)).status).toBe(200);
    expect((await client.commit(id)).status).toBe(200);
  });

  test('keep their bytes from other users of the machine: files of 0600 in folders of 0700', async () => {
    const bytes = Buffer.from('for the owner alone');
    const { id, uploadUrl } = (await client.declare(bytes, { sessionId: 'private' })).body;
    await client.put(uploadUrl, bytes);
    await client.commit(id);
    for (const entry of await readdir(setting.folder, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      expect([entry.name, mode & 0o777]).toEqual([entry.name, entry.isDirectory() ? 0o700 : 0o600]);
    }
  });

  test('uploads of the same bytes at once, of one attachment and of several, all succeed', async () => {
    const bytes = Buffer.concat([...pieces(8)]);
    const declared = await Promise.all(
      ['a', 'b', 'b'].map((filePath) => client.declare(bytes, { sessionId: 'at once', filePath })),
    );
    const replies = await Promise.all(
      declared.map(({ body }) => client.put(body.uploadUrl, bytes)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { body } of declared) expect((await client.commit(body.id)).status).toBe(200);
    expect((await setting.contents()).filter((hash) => hash === sha256Of(bytes))).toHaveLength(1);
  });

  test('128 MB go up and come down in far less memory', async () => {
    const count = 2048;
    const hash = createHash('sha256');
    for (const piece of pieces(count)) hash.update(piece);
    const expected = hash.digest('hex');
    const { id, uploadUrl } = (
      await client.declare('', { sha256: expected, sizeBytes: count * 64 * 1024 })
    ).body;
    const heldBefore = process.memoryUsage().arrayBuffers;
    let heldMax = 0;
    const note = () => {
      heldMax = Math.max(heldMax, process.memoryUsage().arrayBuffers - heldBefore);
    };
    function* noted() {
      for (const piece of pieces(count)) {
        note();
        yield piece;
      }
    }
    expect((await send(uploadUrl, noted())).status).toBe(200);
    expect((await client.commit(id)).status).toBe(200);
    const received = createHash('sha256');
    for await (const piece of (await setting.fetch((await client.get(id)).downloadUrl))
      .body as AsyncIterable<Uint8Array>) {
      received.update(piece);
      note();
    }
    expect(received.digest('hex')).toBe(expected);
    expect(heldMax).toBeLessThan(96 * 1024 * 1024);
  });
});

describe('downloads', () => {
  test('a hostile page is a download that no browser runs on our origin', async () => {
    const page = '<script>alert(1)</script>';
    const { id } = await client.attach(page, {
      contentType: 'text/html; charset=utf-8',
      filename: 'x"\r\nset-cookie: a=b; é.html',
    });
    const reply = await setting.fetch((await client.get(id)).downloadUrl);
    expect(await reply.text()).toBe(page);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': `attachment; filename="x___set-cookie: a=b; _.html"; filename*=UTF-8''x%22__set-cookie%3A%20a%3Db%3B%20%C3%A9.html`,
    });
    expect(reply.headers.get('set-cookie')).toBeNull();
  });

  test.each([['text/html\r\nx: y'], ['日本'], ['no type']])(
    'a type that no header can carry (%j) is sent as plain bytes',
    async (contentType) => {
      const { id } = await client.attach('x', { contentType });
      const reply = await setting.fetch((await client.get(id)).downloadUrl);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([
        200,
        'application/octet-stream',
      ]);
      expect((await client.get(id)).contentType).toBe(contentType);
    },
  );

  test('a URL of content that was replaced gives nothing else in its place', async () => {
    const place = { sessionId: 'download', filePath: 'x' };
    const { id } = await client.attach('former', place);
    const { downloadUrl } = await client.get(id);
    await client.attach('new', place);
    expect((await setting.fetch(downloadUrl)).status).toBe(404);
  });
});
