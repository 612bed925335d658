import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { connect, type NatsConnection } from 'nats';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMongod } from '../src/mongod.ts';
import { startNats } from '../src/nats.ts';
import { endRecorded, isRunning, type ProcessRecord, parseRecord } from '../src/process-record.ts';
import { startServers } from '../src/servers.ts';
import { binaries, cacheFolder, makeFolder } from './setting.ts';

const log = () => undefined;
function onFatal(sentence: string) {
  throw new Error(sentence);
}

function openMongo(uri: string): MongoClient {
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  return client;
}

async function openNats(url: string): Promise<NatsConnection> {
  const { host, username, password } = new URL(url);
  const connection = await connect({
    servers: host,
    user: username,
    pass: password,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  onTestFinished(() => connection.close());
  return connection;
}

const childrenOf = async (folder: string): Promise<ProcessRecord[]> =>
  Promise.all(
    ['mongodb.pid', 'nats.pid'].map(
      async (name) => parseRecord(await readFile(join(folder, name), 'utf8'))!,
    ),
  );

async function startParent(
  folder: string,
): Promise<{ parent: ChildProcess; mongodbUri: string; natsUrl: string }> {
  const { mongod, nats } = await binaries();
  const file = fileURLToPath(new URL('parent.ts', import.meta.url));
  const parent = spawn(
    process.execPath,
    ['--conditions=assay-source', '--import', 'tsx', file, folder, mongod, nats],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(async () => {
    parent.kill('SIGKILL');
    await Promise.all(
      ['mongodb.pid', 'nats.pid'].map((name) =>
        endRecorded({ file: join(folder, name), timeoutMs: 10_000 }),
      ),
    );
  });
  const [line] = await once(parent.stdout!, 'data');
  return { parent, ...JSON.parse(String(line)) };
}

describe('startMongod', () => {
  it('is back on the same port with its data after kill -9, and a client of before goes on', async () => {
    const { mongod: binary } = await binaries();
    const server = await startMongod({ binary, dataFolder: await makeFolder(), log, onFatal });
    onTestFinished(server.stop);
    const items = openMongo(server.uri).db('test').collection('items');
    await items.insertOne({ name: 'kept' }, { writeConcern: { w: 'majority', j: true } });
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => server.pid).not.toBe(pid);
    expect(await items.countDocuments({ name: 'kept' })).toBe(1);
    await items.insertOne({ name: 'new' });
  });

  it('keeps its data and takes transactions when it starts on another port', async () => {
    const { mongod: binary } = await binaries();
    const dataFolder = await makeFolder();
    const first = await startMongod({ binary, dataFolder, log, onFatal });
    await openMongo(first.uri).db('test').collection('items').insertOne({ name: 'kept' });
    await first.stop();
    await rm(join(dataFolder, 'mongodb.port'));
    const second = await startMongod({ binary, dataFolder, log, onFatal });
    onTestFinished(second.stop);
    expect(second.uri).not.toBe(first.uri);
    const client = openMongo(second.uri);
    const items = client.db('test').collection<{ name: string }>('items');
    await client.withSession((session) =>
      session.withTransaction(() => items.insertOne({ name: 'added' }, { session })),
    );
    expect((await items.find().toArray()).map(({ name }) => name)).toEqual(['kept', 'added']);
  });

  it('says in one sentence where to look when the data are not readable', async () => {
    const { mongod: binary } = await binaries();
    const dataFolder = await makeFolder();
    const first = await startMongod({ binary, dataFolder, log, onFatal });
    await first.stop();
    await writeFile(join(dataFolder, 'mongodb', 'WiredTiger.turtle'), 'spoilt');
    await writeFile(join(dataFolder, 'mongodb', 'WiredTiger.wt'), 'spoilt');
    await expect(startMongod({ binary, dataFolder, log, onFatal })).rejects.toThrow(
      /^mongod ended .* while starting: .*mongodb\.log says why\.$/,
    );
  });
});

describe('startNats', () => {
  it('is back on the same port with its streams after kill -9, and a client of before goes on', async () => {
    const { nats: binary } = await binaries();
    const server = await startNats({ binary, dataFolder: await makeFolder(), log, onFatal });
    onTestFinished(server.stop);
    const connection = await openNats(server.url);
    const manager = await connection.jetstreamManager({ timeout: 10_000 });
    await manager.streams.add({ name: 'items', subjects: ['items.>'] });
    await connection.jetstream().publish('items.kept', 'kept');
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => server.pid).not.toBe(pid);
    const messages = async () =>
      (await manager.streams.info('items').catch(() => undefined))?.state.messages;
    await expect.poll(messages).toBe(1);
    expect((await connection.jetstream().publish('items.new', 'new')).seq).toBe(2);
  });
});

describe('startServers', () => {
  it('leaves none running when one cannot be found', async () => {
    const { nats: natsServerPath } = await binaries();
    const dataFolder = await makeFolder();
    const servers = startServers({
      dataFolder,
      cacheFolder,
      mongodPath: '/nowhere/mongod',
      natsServerPath,
      log,
      onFatal,
    });
    await expect(servers).rejects.toThrow(/^MONGOD_PATH names \/nowhere\/mongod/);
    await expect(readFile(join(dataFolder, 'nats.pid'))).rejects.toThrow('ENOENT');
  });

  it('starts neither when both addresses are given', async () => {
    const given = { mongodbUri: 'mongodb://elsewhere', natsUrl: 'nats://elsewhere' };
    const servers = await startServers({
      dataFolder: '/nowhere',
      cacheFolder: '/nowhere',
      ...given,
      log,
      onFatal,
    });
    expect(servers).toMatchObject(given);
    await servers.stop();
  });

  it('does not outlive a launcher that was killed', async () => {
    const folder = await makeFolder();
    const { parent } = await startParent(folder);
    const children = await childrenOf(folder);
    expect(await Promise.all(children.map(isRunning))).toEqual([true, true]);
    parent.kill('SIGKILL');
    await expect.poll(() => Promise.all(children.map(isRunning))).toEqual([false, false]);
  });

  it('starts again with its data right after its launcher was killed', async () => {
    const folder = await makeFolder();
    const first = await startParent(folder);
    await openMongo(first.mongodbUri).db('test').collection('items').insertOne({ name: 'kept' });
    const left = await childrenOf(folder);
    first.parent.kill('SIGKILL');
    await once(first.parent, 'exit');
    const second = await startParent(folder);
    expect(await Promise.all(left.map(isRunning))).toEqual([false, false]);
    expect(await openMongo(second.mongodbUri).db('test').collection('items').countDocuments()).toBe(
      1,
    );
    second.parent.kill('SIGKILL');
    const children = await childrenOf(folder);
    await expect.poll(() => Promise.all(children.map(isRunning))).toEqual([false, false]);
  });
});
