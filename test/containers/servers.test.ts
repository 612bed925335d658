import { connectNats } from '@assay/runtime/bus/connection';
import { createLog } from '@assay/runtime/log';
import { openDatabase } from '@assay/runtime/mongo/database';
import { startContainers } from '@assay/testing/containers';
import { chooseServers } from '@assay/testing/server-choice';
import { afterAll, beforeAll, expect, test } from 'vitest';

let servers: Awaited<ReturnType<typeof startContainers>> | undefined;

beforeAll(async () => {
  const { MONGODB_IMAGE, NATS_IMAGE } = process.env;
  const choice = chooseServers({ TEST_SERVERS: 'containers', MONGODB_IMAGE, NATS_IMAGE });
  servers = await startContainers(choice, (sentence) => {
    throw new Error(sentence);
  });
});
afterAll(() => servers?.stop());

test('MongoDB in a container commits a transaction whole, and leaves nothing of a failed one', async () => {
  const database = await openDatabase({ uri: servers!.mongodbUri!, name: 'test' });
  const things = database.collection<{ _id: string }>('things');
  await database.transaction(() => things.insertMany([{ _id: 'a' }, { _id: 'b' }]));
  const failed = database.transaction(async () => {
    await things.insertOne({ _id: 'c' });
    throw new Error('given up');
  });
  await expect(failed).rejects.toThrow('given up');
  expect(await things.distinct('_id')).toEqual(['a', 'b']);
  await database.close();
});

test('NATS in a container keeps what is published to a stream', async () => {
  const log = createLog({ name: 'test', level: 'silent' });
  const connection = await connectNats({ urls: [servers!.natsUrl!], name: 'test', log });
  const { streams } = await connection.jetstreamManager();
  await streams.add({ name: 'things', subjects: ['things.*'] });
  const { seq } = await connection.jetstream().publish('things.new', 'a');
  expect((await streams.getMessage('things', { seq })).string()).toBe('a');
  await connection.close();
});
