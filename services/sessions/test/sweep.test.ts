import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '@assay/contracts/define';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { openDatabase } from '@assay/runtime/mongo/database';
import { migrate } from '@assay/runtime/mongo/migrations';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createByteQuota } from '../src/domain/byte-quota.ts';
import { createBytes } from '../src/domain/bytes.ts';
import { createDomain } from '../src/domain.ts';
import { migrations } from '../src/migrations.ts';
import { createSignedUrls } from '../src/signed-urls.ts';
import type { Storage } from '../src/storage/content.ts';
import { createDiskStorage } from '../src/storage/disk.ts';
import { createS3Storage } from '../src/storage/s3.ts';
import { createStore } from '../src/store.ts';
import { createSweep } from '../src/sweep.ts';
import { sha256Of, startS3 } from './setting.ts';

const minute = 60_000;
const identity: Identity = {
  organizationId: newId(),
  userId: newId(),
  role: 'member',
  apiKeyId: null,
  requestId: '',
};
const log = createLog({ name: 'test', level: 'silent' });

let folder: string;
let stop: (() => Promise<void>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-sweep-'));
  stop = [() => rm(folder, { recursive: true })];
});
afterEach(async () => {
  for (const end of stop.reverse()) await end();
});

/** The parts of the service on a real database, with a clock that the test moves. */
async function assemble(
  change: (storage: Storage) => Storage = (storage) => storage,
  attachedBytesMax?: number,
) {
  const name = `t${newId().replaceAll('-', '')}_sessions`;
  const database = await openDatabase({ uri: inject('servers').mongodbUri, name });
  stop.push(database.close);
  await migrate({ database, migrations, log });
  let now = Date.now();
  const clock = () => new Date(now);
  const urls = createSignedUrls({ keys: () => ['s'.repeat(32)], publicUrl: '', clock });
  const storage = change(createDiskStorage({ folder, reserveBytes: 0, urls }));
  const store = createStore(database);
  const sweep = createSweep({ store, storage, clock, log });
  const aside = () => undefined;
  const domain = createDomain({
    store,
    storage,
    byteQuota: createByteQuota({
      store,
      attachedBytesMax: {
        installation: attachedBytesMax,
        of: () => attachedBytesMax,
        now: () => attachedBytesMax,
      },
      clock,
    }),
    sweepSoon: () => undefined,
    aside,
    clock,
    newId,
  });
  const bytes = createBytes({ isSuspended: () => false, store, storage, urls, clock });
  const declare = (text: string, filePath = 'x', sessionId = 's') =>
    domain.declare(identity, {
      sessionId,
      filePath,
      sha256: sha256Of(text),
      sizeBytes: text.length,
      contentType: 'text/plain',
    });
  const upload = async (
    { id, uploadUrl }: { id: string; uploadUrl: string | null },
    text: string,
  ) => {
    const { upload, expires, signature } = Object.fromEntries(
      new URL(uploadUrl!, 'http://x').searchParams,
    ) as Record<string, string>;
    const query = { upload: upload!, expires: expires!, signature: signature! };
    return bytes.upload(id, query, { stream: inPieces(text), contentLength: undefined });
  };
  const contents = async () =>
    (await readdir(folder, { recursive: true })).filter((path) => /[0-9a-f]{64}$/.test(path))
      .length;
  return {
    domain,
    sweep,
    declare,
    upload,
    contents,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

async function* inPieces(text: string) {
  for (const character of text) yield Buffer.from(character);
}

test('an upload counts towards the quota as long as it can be committed, also after its URL expired', async () => {
  const { declare, upload, domain, pass } = await assemble((storage) => storage, 10);
  const first = await declare('0123456789', 'first');
  await upload(first, '0123456789');
  pass(74 * minute);
  await expect(declare('x', 'second')).rejects.toMatchObject({ code: 'CONFLICT' });
  pass(2 * minute);
  await declare('abcdefghij', 'third');
  await expect(domain.commit(identity, first.id)).rejects.toMatchObject({ code: 'CONFLICT' });
});

describe('the sweep', () => {
  test('keeps what was uploaded and can still be committed, and removes it when its time is over', async () => {
    const { sweep, declare, upload, contents, pass, domain } = await assemble();
    const declared = await declare('late');
    await upload(declared, 'late');
    pass(74 * minute);
    await sweep.run();
    expect(await contents()).toBe(1);
    pass(2 * minute);
    await expect(domain.commit(identity, declared.id)).rejects.toMatchObject({ code: 'CONFLICT' });
    pass(60 * minute);
    await sweep.run();
    expect(await contents()).toBe(0);
    const again = await declare('late');
    expect(again).toMatchObject({ id: declared.id, alreadyExists: false });
    await expect(domain.commit(identity, declared.id)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('never removes what is committed, however old', async () => {
    const { sweep, declare, upload, contents, pass, domain } = await assemble();
    const declared = await declare('kept');
    await upload(declared, 'kept');
    await domain.commit(identity, declared.id);
    pass(400 * 24 * 60 * minute);
    await sweep.run();
    await sweep.run();
    expect(await contents()).toBe(1);
    await domain.delete(identity, declared.id);
    await sweep.run();
    expect(await contents()).toBe(0);
  });

  test('removes the bytes of a session that is forgotten, committed or not, and no others', async () => {
    const { sweep, declare, upload, contents, pass, domain } = await assemble();
    const uploaded = async (text: string, sessionId: string) => {
      const declared = await declare(text, text, sessionId);
      await upload(declared, text);
      return declared.id;
    };
    await domain.commit(identity, await uploaded('first', 'left'));
    await uploaded('second', 'left');
    await domain.commit(identity, await uploaded('third', 'kept'));
    expect(await contents()).toBe(3);
    const places = [{ place: 'attachments', erased: 2, left: 0 }];
    expect(await domain.forgetSession(identity, 'left')).toEqual({ places, isDone: true });
    pass(minute);
    await sweep.run();
    expect(await contents()).toBe(1);
    expect(
      (await domain.list(identity, 'kept', { limit: 10, after: undefined })).items,
    ).toHaveLength(1);
    expect((await domain.forgetSession(identity, 'left')).places[0]).toMatchObject({ erased: 0 });
  });

  test('keeps deleted content that another attachment is about to commit', async () => {
    const { sweep, declare, upload, contents, domain } = await assemble();
    const one = await declare('shared', 'one');
    await upload(one, 'shared');
    await domain.commit(identity, one.id);
    const other = await declare('shared', 'other');
    await upload(other, 'shared');
    await domain.delete(identity, one.id);
    await sweep.run();
    expect(await contents()).toBe(1);
    expect(await domain.commit(identity, other.id)).toMatchObject({ status: 'uploaded' });
  });

  test('goes on with the other contents where the storage fails, and comes back to what is left', async () => {
    let isAway = true;
    const { sweep, declare, upload, contents, pass, domain } = await assemble((storage) => ({
      ...storage,
      remove: async (address) => {
        if (isAway && address.sha256 === sha256Of('a')) throw new Error('the storage is away');
        await storage.remove(address);
      },
    }));
    for (const text of ['a', 'b']) {
      const declared = await declare(text, text);
      await upload(declared, text);
      await domain.commit(identity, declared.id);
      await domain.delete(identity, declared.id);
    }
    await sweep.run();
    expect(await contents()).toBe(1);
    isAway = false;
    pass(2 * minute);
    await sweep.run();
    expect(await contents()).toBe(0);
  });

  test('removes what a crash left unfinished by its age, and nothing younger', async () => {
    const { sweep } = await assemble();
    await mkdir(join(folder, 'temporary'));
    for (const name of ['old', 'young']) await writeFile(join(folder, 'temporary', name), name);
    const yesterday = new Date(Date.now() - 24 * 60 * minute);
    await utimes(join(folder, 'temporary', 'old'), yesterday, yesterday);
    await sweep.run();
    expect(await readdir(join(folder, 'temporary'))).toEqual(['young']);
  });
});

describe('uploads on S3 that nobody finished', () => {
  test('are removed by their age, more than a page of them, and content is not', async () => {
    const s3 = await startS3(folder);
    stop.push(s3.stop);
    const storage = createS3Storage(s3.config);
    const soon = new Date(Date.now() + minute);
    const uploadOf = (text: string) => ({
      attachmentId: newId(),
      organizationId: identity.organizationId,
      sha256: sha256Of(text),
      sizeBytes: 1,
    });
    const kept = uploadOf('k');
    await fetch(await storage.uploadUrl(kept, soon), { method: 'PUT', body: 'k' });
    await storage.collect(kept);
    const uploads = Array.from({ length: 1003 }, () => uploadOf('u'));
    const put = async (upload: (typeof uploads)[number]) =>
      fetch(await storage.uploadUrl(upload, soon), { method: 'PUT', body: 'u' });
    for (let from = 0; from < uploads.length; from += 50)
      await Promise.all(uploads.slice(from, from + 50).map(put));
    await storage.removeAbandoned(new Date(Date.now() - minute));
    expect(await storage.collect(uploads[0]!)).toEqual({ sizeBytes: 1, sha256: sha256Of('u') });
    await storage.removeAbandoned(new Date(Date.now() + minute));
    for (const upload of [uploads[0]!, uploads[1002]!, kept])
      expect(await storage.collect(upload)).toBeUndefined();
    const download = {
      ...kept,
      contentType: 'text/plain',
      disposition: 'attachment; filename="a b.txt"',
    };
    const reply = await fetch(await storage.downloadUrl(download, soon));
    expect(await reply.text()).toBe('k');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="a b.txt"');
  });
});
