import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@assay/runtime/mongo/database';
import { BSON, MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startMongod } from '../src/mongod.ts';
import { startNats } from '../src/nats.ts';
import { until } from '../src/until.ts';
import { startForeignMongod } from './foreign-servers.ts';
import { binaries, makeFolder } from './setting.ts';

const log = () => undefined;
function onFatal(sentence: string) {
  throw new Error(sentence);
}

async function startMongo(dataFolder: string) {
  const { mongod: binary } = await binaries();
  const server = await startMongod({ binary, dataFolder, log, onFatal });
  onTestFinished(server.stop);
  return server;
}

async function startBoth() {
  const dataFolder = await makeFolder();
  const { nats: binary } = await binaries();
  const [mongod, nats] = await Promise.all([
    startMongo(dataFolder),
    startNats({ binary, dataFolder, log, onFatal }),
  ]);
  onTestFinished(nats.stop);
  return { dataFolder, mongod, nats };
}

const nobody = { uid: 65534, gid: 65534 };
const canBeNobody =
  process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], nobody).status === 0;

/**
 * What a program without any package sends to a port, and what comes back until the answer is there
 * or the connection ends.
 */
const say = `
  const [port, hex, until] = process.argv.slice(1);
  const socket = require('node:net').connect(Number(port), '127.0.0.1');
  let answer = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    answer = Buffer.concat([answer, bytes]);
    if (answer.includes(until)) socket.destroy();
  });
  socket.on('close', () => process.stdout.write(answer.toString('hex')));
  socket.write(Buffer.from(hex, 'hex'));
`;

async function sayAsNobody(address: string, message: Buffer, end: string): Promise<Buffer> {
  const child = spawn(
    process.execPath,
    ['-e', say, new URL(address).port, message.toString('hex'), end],
    { ...nobody, env: {} },
  );
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  await once(child, 'close');
  expect(err).toBe('');
  return Buffer.from(out, 'hex');
}

/** MongoDB's OP_MSG with one document. */
function mongodbMessage(command: object): Buffer {
  const body = BSON.serialize(command);
  const head = Buffer.alloc(21);
  for (const [index, value] of [21 + body.length, 1, 0, 2013, 0].entries())
    head.writeInt32LE(value, index * 4);
  return Buffer.concat([head, body]);
}

describe("the laptop's servers", () => {
  test.skipIf(!canBeNobody)(
    'let no other user of the machine in (skipped unless root runs the tests, who can become one)',
    async () => {
      const { dataFolder, mongod, nats } = await startBoth();
      const answer = await sayAsNobody(
        mongod.uri,
        mongodbMessage({ listDatabases: 1, $db: 'admin' }),
        'codeName',
      );
      expect(BSON.deserialize(answer.subarray(21))).toMatchObject({
        ok: 0,
        codeName: 'Unauthorized',
      });
      const firstUser = { createUser: 'thief', pwd: 'x', roles: ['root'], $db: 'admin' };
      const made = await sayAsNobody(mongod.uri, mongodbMessage(firstUser), 'codeName');
      expect(BSON.deserialize(made.subarray(21))).toMatchObject({
        ok: 0,
        codeName: 'Unauthorized',
      });
      const heard = await sayAsNobody(
        nats.url,
        Buffer.from('CONNECT {"verbose":false}\r\nSUB > 1\r\nPING\r\n'),
        'PONG',
      );
      expect(String(heard)).toContain("-ERR 'Authorization Violation'");
      expect(String(heard)).not.toContain('PONG');
      await chmod(dataFolder, 0o755);
      const files = [
        'mongodb-password',
        'mongodb-keyfile',
        'nats-password',
        'nats/nats-server.conf',
      ];
      for (const file of files)
        expect(spawnSync('cat', [join(dataFolder, file)], nobody).status, file).not.toBe(0);
    },
  );

  test('show their passwords in no argument, no environment and no log, and keep them in files of their owner', async () => {
    const { dataFolder, mongod, nats } = await startBoth();
    const passwords = [
      new URL(mongod.uri).password,
      new URL(nats.url).password,
      (await readFile(join(dataFolder, 'mongodb-keyfile'), 'utf8')).trim(),
    ];
    expect(passwords.every((password) => password.length >= 32)).toBe(true);
    const seen = await Promise.all(
      [mongod.pid, nats.pid].flatMap((pid) =>
        ['cmdline', 'environ'].map((name) =>
          readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => ''),
        ),
      ),
    );
    const logs = await Promise.all(
      ['mongodb.log', 'nats.log'].map((name) => readFile(join(dataFolder, 'logs', name), 'utf8')),
    );
    for (const password of passwords)
      expect([...seen, ...logs].filter((text) => text.includes(password))).toEqual([]);
    for (const file of [
      'mongodb-password',
      'mongodb-keyfile',
      'nats-password',
      'nats/nats-server.conf',
      'logs/mongodb.log',
      'logs/nats.log',
    ])
      expect([file, (await stat(join(dataFolder, file))).mode & 0o777]).toEqual([file, 0o600]);
  });

  test('refuse a wrong password and none in a sentence that names no password', async () => {
    const { uri } = await startMongo(await makeFolder());
    const { host, search } = new URL(uri);
    const open = (given: string) =>
      openDatabase({ uri: `mongodb://${given}${host}/${search}`, name: 'assay_catalog' });
    await expect(open('assay:wrong@')).rejects.toThrow(
      `MONGODB_URI: the MongoDB at ${host} refuses the user "assay" or the password: correct them, or name the user's database by authSource=.`,
    );
    await expect(open('')).rejects.toThrow(
      `MONGODB_URI: the MongoDB at ${host} asks for a user and a password: write mongodb://user:password@host.`,
    );
  });
});

async function insertAndCount(uri: string): Promise<number> {
  const client = new MongoClient(uri);
  onTestFinished(() => client.close());
  const items = client.db('test').collection('items');
  await items.insertOne({ name: 'kept' });
  return items.countDocuments();
}

test('a data folder of an Assay without passwords gets them at its next start, and keeps its data', async () => {
  const dataFolder = await makeFolder();
  const stopFirst = await startForeignMongodIn(join(dataFolder, 'mongodb'));
  await stopFirst();
  const { uri } = await startMongo(dataFolder);
  expect(await insertAndCount(uri)).toBe(2);
  await expect(insertAndCount(uri.replace(/\/\/.*@/, '//'))).rejects.toThrow(
    'requires authentication',
  );
});

test('a password whose file was lost is made anew, and the data are kept', async () => {
  const dataFolder = await makeFolder();
  const first = await startMongo(dataFolder);
  expect(await insertAndCount(first.uri)).toBe(1);
  await first.stop();
  for (const file of ['mongodb-password', 'mongodb-keyfile']) await rm(join(dataFolder, file));
  const second = await startMongo(dataFolder);
  expect(new URL(second.uri).password).not.toBe(new URL(first.uri).password);
  expect(await insertAndCount(second.uri)).toBe(2);
});

/** As an older Assay started it: a replica set with one document, and no users. */
async function startForeignMongodIn(folder: string): Promise<() => Promise<void>> {
  const { address, stop } = await startForeignMongod({ args: ['--replSet', 'assay'], folder });
  const client = new MongoClient(`mongodb://${address}/?directConnection=true`);
  const admin = client.db('admin');
  await admin.command({ replSetInitiate: { _id: 'assay', members: [{ _id: 0, host: address }] } });
  await until({
    condition: async () => (await admin.command({ hello: 1 })).isWritablePrimary,
    timeoutMs: 300_000,
  });
  await client.close();
  await insertAndCount(`mongodb://${address}/?replicaSet=assay`);
  return stop;
}
