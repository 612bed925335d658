import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { identity } from '@assay/contracts/identity';
import { storedHeaders } from '@assay/runtime/bus/sealed-messages';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { newId } from '@assay/runtime/ids';
import { serviceIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import type { World } from '@assay/testing/world';
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

test('signed URLs of a suspended organization are refused, although they come without a key', async () => {
  const setting = await startOnDisk();
  const { declare, put, commit, get } = createClient(setting);
  const { suspension } = identity.questions;
  let isSuspended = false;
  setting.world.bus.answer(
    { ...identity, questions: { suspension } } as never,
    { suspension: async () => ({ isSuspended }) } as never,
  );
  await setting.world.bus.connection.flush();
  const { id, uploadUrl } = (await declare('hello')).body;
  isSuspended = true;
  const refused = await put(uploadUrl, 'hello');
  expect([refused.status, await refused.json()]).toEqual([
    403,
    {
      code: 'FORBIDDEN',
      message: expect.stringMatching(/^This organization is suspended: /),
      details: {},
    },
  ]);
  expect(await setting.contents()).toEqual([]);
  isSuspended = false;
  tellOfChange(setting.world);
  await poll('it is resumed', async () => (await put(uploadUrl, 'hello')).status === 200);
  await commit(id);
  const { downloadUrl } = await get(id);
  isSuspended = true;
  tellOfChange(setting.world);
  await poll('it is suspended', async () => (await setting.fetch(downloadUrl)).status === 403);
  await setting.stop();
});

/** As identity's outbox does. */
function tellOfChange({ bus, config, identity: { organizationId } }: World): void {
  const message = {
    subject: subjectOf(config.SUBJECT_PREFIX, 'event', 'identity', 'suspensionChanged'),
    id: newId(),
    identity: serviceIdentity(organizationId),
    payload: JSON.stringify({ organizationId }),
  };
  bus.connection.publish(message.subject, message.payload, {
    headers: storedHeaders(bus.options, message),
  });
}
