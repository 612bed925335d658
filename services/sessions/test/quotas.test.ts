import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createClient, sha256Of, startOnDisk } from './setting.ts';

test('an organization may attach as many bytes as its quota says: declared ones count, deleted and expired ones do not', async () => {
  const setting = await startOnDisk({ ATTACHMENTS_BYTES_MAX: 100 });
  const { declare, attach } = createClient(setting);
  const first = await attach('x'.repeat(60));
  const filePath = 'second';
  const declared = await declare('y'.repeat(40), { filePath });
  expect(declared.status).toBe(201);
  const refused = await declare('z');
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.message).toContain('may take 100 bytes');
  expect(
    (await declare('z'.repeat(60), { sessionId: first.sessionId, filePath: first.filePath }))
      .status,
  ).toBe(409);
  const elsewhere = { identity: { organizationId: crypto.randomUUID() } };
  expect((await declare('w'.repeat(100), {}, elsewhere)).status).toBe(201);
  await setting.world.request('DELETE', `/attachments/${first.id}`);
  const both = await Promise.all([declare('v'.repeat(50)), declare('u'.repeat(50))]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  await setting.stop();
});

test('an upload that would take the reserve of the disk is a 503 before it is read, and nothing of it stays', async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  const setting = await startOnDisk({ DISK_RESERVE_BYTES: bavail * bsize * 2 });
  const { declare, put } = createClient(setting);
  const { uploadUrl } = (await declare('hello', { sha256: sha256Of('hello') })).body;
  const reply = await put(uploadUrl, 'hello');
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({
    message: 'There is no room for more attachments at the moment.',
  });
  expect(await setting.contents()).toEqual([]);
  await setting.stop();
});
