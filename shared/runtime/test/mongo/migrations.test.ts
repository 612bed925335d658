import { poll } from '@assay/testing/poll';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { newId } from '../../ids.ts';
import { createLog } from '../../log.ts';
import { openDatabase } from '../../mongo/database.ts';
import { migrate } from '../../mongo/migrations.ts';

const log = createLog({ name: 'test', level: 'silent' });
const lockMs = 400;

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({ uri: inject('servers').mongodbUri, name: `migrate-${newId()}` });
});
beforeEach(() => changelog().deleteMany({}));
afterAll(async () => {
  await changelog().drop();
  await database.close();
});

const changelog = () =>
  database.collection<{ _id: string; at: Date; holder?: string }>('migrations');

test('a migration that takes longer than the lock lasts is done by one process, and the other goes on after it', async () => {
  let begun = 0;
  const slow = {
    name: '1-slow',
    up: async () => {
      begun += 1;
      const since = Date.now();
      await poll('three times the lock are over', () => Date.now() - since > 3 * lockMs);
    },
  };
  const start = () => migrate({ database, migrations: [slow], log, lockMs });
  await Promise.all([start(), start(), start()]);
  expect(begun).toBe(1);
  expect(await changelog().distinct('_id')).toEqual(['1-slow']);
});

test('the lock of a process that died is free after its time', async () => {
  await changelog().insertOne({ _id: 'lock', holder: 'gone', at: new Date() });
  let begun = 0;
  const up = async () => {
    begun += 1;
  };
  await migrate({ database, migrations: [{ name: '1-after', up }], log, lockMs });
  expect(begun).toBe(1);
  expect(await changelog().findOne({ _id: 'lock' })).toBeNull();
});

test('a migration that another process has done meanwhile is done twice without harm', async () => {
  const twice = {
    name: '1-twice',
    up: async () => void (await changelog().insertOne({ _id: '1-twice', at: new Date() })),
  };
  await migrate({ database, migrations: [twice], log, lockMs });
  expect(await changelog().distinct('_id')).toEqual(['1-twice']);
});

test.each([
  [
    'a user who may not',
    new MongoServerError({ message: 'not authorized on it', code: 13 }),
    /^MONGODB_URI: the user may not change the database of this service \(not authorized on it\): grant /,
  ],
  [
    'a server that is lost',
    new MongoNetworkError('closed'),
    /^MONGODB_URI: MongoDB was lost while its data was migrated \(closed\): /,
  ],
])('%s ends the start with a sentence that names MONGODB_URI', async (_what, error, sentence) => {
  const fails = { name: '1-fails', up: () => Promise.reject(error) };
  await expect(migrate({ database, migrations: [fails], log, lockMs })).rejects.toThrow(sentence);
});
