import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Setting, sha256Of, startSetting } from './setting.ts';

describe.each(['disk', 's3'] as const)('attachments on %s', (kind) => {
  let setting: Setting;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    setting = await startSetting(kind);
    client = createClient(setting);
  });
  afterAll(() => setting.stop());

  const unique = () => `bytes ${crypto.randomUUID()}`;

  test('a file that was declared, uploaded and committed comes back byte for byte', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 256);
    const declared = await client.declare(bytes, {
      sessionId: 's',
      filePath: 'a/b.bin',
      contentType: 'image/png',
    });
    expect(declared.status).toBe(201);
    expect(declared.body).toEqual({
      id: expect.any(String),
      alreadyExists: false,
      uploadUrl: expect.stringMatching(/^http:\/\//),
      uploadMethod: 'PUT',
      expiresAt: expect.any(String),
    });
    const validMs = Date.parse(declared.body.expiresAt) - Date.now();
    expect(Math.round(validMs / 60_000)).toBe(15);
    expect(await client.get(declared.body.id)).toMatchObject({
      status: 'pending',
      uploadedAt: null,
      downloadUrl: null,
    });
    expect((await client.put(declared.body.uploadUrl, bytes)).status).toBe(200);
    const committed = await client.commit(declared.body.id);
    expect(committed.status).toBe(200);
    expect(committed.body).toEqual({
      id: declared.body.id,
      sessionId: 's',
      filePath: 'a/b.bin',
      filename: null,
      contentType: 'image/png',
      sizeBytes: 300_000,
      sha256: sha256Of(bytes),
      status: 'uploaded',
      uploadedAt: expect.any(String),
      metadata: null,
    });
    const { downloadUrl, downloadExpiresAt, ...attachment } = await client.get(declared.body.id);
    expect(attachment).toEqual(committed.body);
    expect(Math.round((Date.parse(downloadExpiresAt) - Date.now()) / 60_000)).toBe(5);
    const download = await setting.fetch(downloadUrl);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    expect(download.headers.get('content-type')).toBe('image/png');
    expect(download.headers.get('content-length')).toBe('300000');
    expect(download.headers.get('content-disposition')).toBe(
      `attachment; filename="b.bin"; filename*=UTF-8''b.bin`,
    );
  });

  test('an empty file works', async () => {
    const { id, status, sizeBytes } = await client.attach('');
    expect({ status, sizeBytes }).toEqual({ status: 'uploaded', sizeBytes: 0 });
    const download = await setting.fetch((await client.get(id)).downloadUrl);
    expect(download.headers.get('content-length')).toBe('0');
    expect(await download.text()).toBe('');
  });

  test("declaring a session's path again gives the same id and a new URL", async () => {
    const place = { sessionId: 'again', filePath: 'x' };
    const first = await client.declare('one', place);
    const second = await client.declare('one', place);
    expect(second.body.id).toBe(first.body.id);
    expect(second.body.alreadyExists).toBe(false);
    await client.put(first.body.uploadUrl, 'one');
    expect((await client.commit(first.body.id)).status).toBe(200);
  });

  test('declaring what is stored already asks for no upload, and describes it anew', async () => {
    const place = { sessionId: 'stored', filePath: 'x' };
    const { id } = await client.attach('stored', place);
    const again = await client.declare('stored', {
      ...place,
      filename: 'new.txt',
      contentType: 'text/csv',
    });
    expect(again.body).toEqual({
      id,
      alreadyExists: true,
      uploadUrl: null,
      uploadMethod: null,
      expiresAt: null,
    });
    expect(await client.get(id)).toMatchObject({
      status: 'uploaded',
      filename: 'new.txt',
      contentType: 'text/csv',
    });
    const elsewhere = await client.declare('stored', { ...place, filePath: 'y' });
    expect(elsewhere.body.alreadyExists).toBe(false);
  });

  test.each([['the same content'], ['different contents']])(
    'declarations of one path at once, of %s, make one attachment',
    async (which) => {
      const place = { sessionId: crypto.randomUUID(), filePath: 'race' };
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          client.declare(
            which === 'the same content' ? place.sessionId : `${place.sessionId} ${index}`,
            place,
            {
              headers: index % 2 === 0 ? { 'idempotency-key': `${place.sessionId} ${index}` } : {},
            },
          ),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(201));
      expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    },
  );

  test('a changed file keeps its former content until the new one is committed', async () => {
    const place = { sessionId: 'changed', filePath: 'x' };
    const before = unique();
    const { id } = await client.attach(before, place);
    const { uploadUrl } = (await client.declare('after', { ...place, contentType: 'text/html' }))
      .body;
    expect(await client.get(id)).toMatchObject({
      sha256: sha256Of(before),
      contentType: 'text/plain',
      status: 'uploaded',
    });
    expect((await client.commit(id)).status).toBe(409);
    await client.put(uploadUrl, 'after');
    expect(await client.download(id)).toBe(before);
    expect((await client.commit(id)).body).toMatchObject({
      id,
      sha256: sha256Of('after'),
      contentType: 'text/html',
    });
    expect(await client.download(id)).toBe('after');
    await poll(
      'the former bytes are gone',
      async () => !(await setting.contents()).includes(sha256Of(before)),
    );
  });

  test('a commit before the upload is a conflict, and one after it works', async () => {
    const bytes = unique();
    const { id, uploadUrl } = (await client.declare(bytes)).body;
    const early = await client.commit(id);
    expect([early.status, early.body.code]).toEqual([409, 'CONFLICT']);
    await client.put(uploadUrl, bytes);
    expect((await client.commit(id)).status).toBe(200);
  });

  test('other bytes than declared are refused by the commit, the former content stays, and the right bytes still work', async () => {
    const place = { sessionId: 'wrong', filePath: 'x' };
    const { id } = await client.attach('former', place);
    const { uploadUrl } = (await client.declare('right', place)).body;
    expect((await client.put(uploadUrl, 'wrong')).status).toBe(200);
    const refused = await client.commit(id);
    expect(refused.status).toBe(400);
    expect(refused.body.details.issues[0].path).toBe('/sha256');
    expect(await client.get(id)).toMatchObject({ sha256: sha256Of('former'), status: 'uploaded' });
    expect(await client.download(id)).toBe('former');
    expect(await setting.contents()).not.toContain(sha256Of('wrong'));
    await client.put(uploadUrl, 'right');
    expect((await client.commit(id)).status).toBe(200);
    expect(await client.download(id)).toBe('right');
  });

  test('a body of another size is never committed', async () => {
    const bytes = unique();
    const { id, uploadUrl } = (await client.declare(bytes)).body;
    for (const body of [`${bytes}!`, bytes.slice(1)]) {
      await client.put(uploadUrl, body);
      expect([400, 409]).toContain((await client.commit(id)).status);
      expect((await client.get(id)).status).toBe('pending');
    }
  });

  test('a second commit, and commits at once, change nothing', async () => {
    const bytes = unique();
    const { id, uploadUrl } = (await client.declare(bytes)).body;
    await client.put(uploadUrl, bytes);
    const replies = await Promise.all(
      [1, 2, 3, 4].map((index) =>
        client.commit(id, index === 1 ? { headers: { 'idempotency-key': id } } : {}),
      ),
    );
    replies.push(await client.commit(id));
    expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  test('deleting removes the bytes, but not those that another attachment of the organization has', async () => {
    const bytes = unique();
    const one = await client.attach(bytes);
    const other = await client.attach(bytes);
    const { downloadUrl } = await client.get(one.id);
    expect((await setting.world.request('DELETE', `/attachments/${one.id}`)).body).toEqual({
      success: true,
    });
    expect((await setting.world.request('GET', `/attachments/${one.id}`)).status).toBe(404);
    expect((await setting.world.request('DELETE', `/attachments/${one.id}`)).status).toBe(404);
    expect(await client.download(other.id)).toBe(bytes);
    await setting.world.request('DELETE', `/attachments/${other.id}`);
    await poll(
      'the bytes are gone',
      async () => !(await setting.contents()).includes(sha256Of(bytes)),
    );
    expect((await setting.fetch(downloadUrl)).status).toBe(404);
  });

  test('content that is deleted and declared at the same time is never lost for the one who commits it', async () => {
    const bytes = unique();
    for (let round = 0; round < 8; round++) {
      const former = await client.attach(bytes);
      const [{ id }] = await Promise.all([
        client.attach(bytes),
        setting.world.request('DELETE', `/attachments/${former.id}`),
      ]);
      expect(await client.download(id)).toBe(bytes);
      await setting.world.request('DELETE', `/attachments/${id}`);
    }
    await poll(
      'the bytes are gone',
      async () => !(await setting.contents()).includes(sha256Of(bytes)),
    );
  });

  test("another organization's attachment answers as one that does not exist, and its content is not shared", async () => {
    const { id } = await client.attach('mine');
    const identity = { organizationId: '019a9c1e-7d3a-7000-8000-0242ac1200ff' };
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/commit'],
      ['DELETE', ''],
    ] as const)
      expect(
        (await setting.world.request(method, `/attachments/${id}${path}`, undefined, { identity }))
          .status,
      ).toBe(404);
    const theirs = await client.declare('mine', { sessionId: 's', filePath: 'p' }, { identity });
    expect(theirs.body.alreadyExists).toBe(false);
    expect((await client.commit(theirs.body.id, { identity })).status).toBe(409);
  });

  test('a session lists what is committed, oldest first, page by page; an unknown one has none', async () => {
    const sessionId = crypto.randomUUID();
    const ids: string[] = [];
    for (const filePath of ['c', 'a', 'b'])
      ids.push((await client.attach(filePath, { sessionId, filePath })).id);
    await client.declare('pending', { sessionId, filePath: 'pending' });
    const all = await client.list(sessionId);
    expect(all.body.data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(all.body).toMatchObject({ nextCursor: null, hasMore: false });
    const first = await client.list(sessionId, '?limit=2');
    const second = await client.list(sessionId, `?limit=2&cursor=${first.body.nextCursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(all.body.data);
    expect((await client.list('nobody knows it')).body).toEqual({
      data: [],
      nextCursor: null,
      hasMore: false,
    });
  });

  test.each([
    ['../../../etc/passwd'],
    ['nul \0 inside'],
    ['日本語 🎉/‮txt.exe'],
    ['$where.{"a":1}'],
    ['a%2f..%2fb'],
    ['C:\\x\\..'],
  ])('a session and a path named %j are names and nothing else', async (name) => {
    const { id } = await client.attach('hostile', {
      sessionId: name,
      filePath: name,
      filename: name,
    });
    expect(await client.get(id)).toMatchObject({ sessionId: name, filePath: name, filename: name });
    expect(await client.download(id)).toBe('hostile');
    expect((await client.list(name)).body.data.map((item: { id: string }) => item.id)).toEqual([
      id,
    ]);
    expect(
      (await client.declare('hostile', { sessionId: name, filePath: name })).body,
    ).toMatchObject({ id, alreadyExists: true });
  });

  test('metadata comes back as the text that was sent', async () => {
    const metadata =
      '{"big":12345678901234567890,"e":1.0e2,"nul":"\\u0000","__proto__":{"a":1},"half":"\\ud800"}';
    const bytes = unique();
    const raw = `{"sessionId":"m","filePath":"m","sha256":"${sha256Of(bytes)}","sizeBytes":${bytes.length},"contentType":"a/b","metadata":${metadata}}`;
    const { id, uploadUrl } = (
      await setting.world.request('POST', '/attachments', undefined, { raw })
    ).body;
    await client.put(uploadUrl, bytes);
    expect((await client.commit(id)).text).toContain(`"metadata":${metadata}`);
    expect((await client.list('m')).text).toContain(metadata);
  });

  test('a declaration that breaks the rules is refused with its places', async () => {
    const reply = await client.declare('x', {
      sessionId: '',
      filePath: 'p'.repeat(1025),
      sha256: 'A'.repeat(64),
      sizeBytes: -1,
    });
    expect(reply.body.details.issues.map(({ path }: { path: string }) => path)).toEqual([
      '/sessionId',
      '/filePath',
      '/sha256',
      '/sizeBytes',
    ]);
    expect((await client.declare('x', { sizeBytes: 6 * 1024 ** 3 })).status).toBe(400);
  });
});
