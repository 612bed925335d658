import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { contracts, serviceNames } from '@assay/contracts/all';
import { mayAsk, permissions } from '@assay/contracts/permissions';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { type KeysFile, keysFile, keysFileOf } from '@assay/runtime/keys';
import { MongoClient } from 'mongodb';
import { connect, Events, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databasePrefix, keysIn, subjectPrefix } from '../src/data-folder.ts';
import { natsRightsOf } from '../src/keys/nats-users.ts';
import { databaseOwners, keepKeys, processNames } from '../src/keys/write-keys.ts';
import { startServers } from '../src/servers.ts';

/** Whoever takes a process over: its keys file, and the two servers as `npm start` starts them. */
let folder: string;
let servers: Awaited<ReturnType<typeof startServers>>;
const keys = new Map<string, KeysFile>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-users-'));
  const roots = await keepKeys(keysIn(folder), { mongodb: true, nats: true });
  servers = await startServers({
    dataFolder: folder,
    cacheFolder: join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay'),
    roots,
    log: () => undefined,
    onFatal: (sentence) => {
      throw new Error(sentence);
    },
  });
  for (const name of processNames)
    keys.set(
      name,
      keysFile.parse(JSON.parse(await readFile(keysFileOf(keysIn(folder), name), 'utf8'))),
    );
});
afterAll(async () => {
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

const withUser = (url: string, { user, password }: { user: string; password: string }): string =>
  url.replace(/\/\/[^@/]*@/, `//${user}:${encodeURIComponent(password)}@`);

describe('at MongoDB', () => {
  test.each(databaseOwners)('%s reads and writes its own database, and no other', async (name) => {
    const client = new MongoClient(withUser(servers.mongodbUri, keys.get(name)!.mongodb!));
    try {
      const things = client.db(`${databasePrefix}_${name}`).collection('things');
      await things.createIndex({ kind: 1 });
      await things.insertOne({ kind: 'own' });
      expect(await things.countDocuments()).toBe(1);
      for (const other of databaseOwners.filter((each) => each !== name)) {
        const foreign = client.db(`${databasePrefix}_${other}`).collection('things');
        await expect(foreign.findOne(), other).rejects.toThrow('not authorized');
        await expect(foreign.insertOne({}), other).rejects.toThrow('not authorized');
      }
      const admin = client.db('admin');
      await expect(admin.command({ usersInfo: 1 })).rejects.toThrow('not authorized');
      await expect(admin.command({ listDatabases: 1 })).resolves.toMatchObject({
        databases: [{ name: `${databasePrefix}_${name}` }],
      });
      await expect(
        admin.command({ createUser: 'mine', pwd: 'x', roles: ['root'] }),
      ).rejects.toThrow('not authorized');
    } finally {
      await client.close();
    }
  });

  test.each(processNames.filter((name) => !databaseOwners.includes(name)))(
    '%s has no user',
    (name) => {
      expect(keys.get(name)!.mongodb).toBeUndefined();
    },
  );
});

describe('at NATS', () => {
  const refusalMs = 1000;

  /** Whether NATS refuses this, which it says a moment later. */
  async function isRefused(
    connection: NatsConnection,
    act: (connection: NatsConnection) => void,
  ): Promise<boolean> {
    const statuses = connection.status()[Symbol.asyncIterator]();
    act(connection);
    const refused = (async () => {
      for (;;) {
        const { value, done } = await statuses.next();
        if (done) return false;
        if (value.type === Events.Error && String(value.data).includes('PERMISSIONS')) return true;
      }
    })();
    // The server answers a ping after what came before it, so that a refusal has come by then.
    const isOver = connection
      .flush()
      .then(() => new Promise<boolean>((resolve) => setImmediate(resolve, false)));
    return Promise.race([refused, isOver]);
  }

  async function connectAs(name: string): Promise<NatsConnection> {
    const { user, password: pass } = keys.get(name)!.nats!;
    return connect({
      servers: new URL(servers.natsUrl).host,
      user,
      pass,
      inboxPrefix: `_INBOX.${name}`,
      timeout: refusalMs * 10,
    });
  }

  test.each(processNames)(
    '%s asks, answers, publishes and hears what the permissions name, and nothing else',
    async (name) => {
      const connection = await connectAs(name);
      const publishes = (subject: string) =>
        isRefused(connection, (as) => as.publish(subject, '{}')).then((refused) => !refused);
      const hears = (subject: string) =>
        isRefused(
          connection,
          (as) => void as.subscribe(subject, { callback: () => undefined }),
        ).then((refused) => !refused);
      try {
        for (const { name: service, questions } of contracts)
          for (const question of Object.keys(questions)) {
            const subject = subjectOf(subjectPrefix, 'question', service, question);
            expect([subject, await publishes(subject)]).toEqual([
              subject,
              mayAsk(name, service, question),
            ]);
          }
        for (const service of serviceNames) {
          const isOwn = service === name;
          const asked = subjectOf(subjectPrefix, 'question', service, '>');
          expect([asked, await hears(asked)]).toEqual([asked, isOwn]);
          const event = subjectOf(subjectPrefix, 'event', service, 'anything');
          const mayPublish = isOwn && databaseOwners.includes(service);
          expect([event, await publishes(event)]).toEqual([event, mayPublish]);
          for (const [known, hearers] of Object.entries(permissions[service].heard)) {
            const heard = subjectOf(subjectPrefix, 'event', service, known);
            expect([heard, await hears(heard)]).toEqual([
              heard,
              (hearers as readonly string[]).includes(name),
            ]);
          }
          if (!isOwn) expect(await hears(`_INBOX.${service}.>`)).toBe(false);
        }
        for (const all of ['>', `${subjectPrefix}.>`, '_INBOX.>', '$JS.>', '$SYS.>'])
          expect([all, await hears(all)]).toEqual([all, false]);
      } finally {
        await connection.close();
      }
    },
  );

  test.each(processNames)(
    '%s reads no messages of the streams but those it consumes',
    async (name) => {
      const connection = await connectAs(name);
      const asks = (subject: string) =>
        isRefused(connection, (as) => as.publish(subject, '{}')).then((refused) => !refused);
      const upper = subjectPrefix.toUpperCase();
      try {
        for (const stream of [`${upper}-EVENTS`, `${upper}-DEAD`])
          for (const api of [
            `STREAM.MSG.GET.${stream}`,
            `DIRECT.GET.${stream}`,
            `CONSUMER.CREATE.${stream}`,
            `CONSUMER.CREATE.${stream}.mine`,
            `CONSUMER.CREATE.${stream}.mine.>`,
            `CONSUMER.DURABLE.CREATE.${stream}.mine`,
            `CONSUMER.MSG.NEXT.${stream}.mine`,
            `STREAM.DELETE.${stream}`,
            `STREAM.SNAPSHOT.${stream}`,
            ...(name === 'identity' ? [] : [`STREAM.UPDATE.${stream}`]),
          ])
            expect([api, await asks(`$JS.API.${api}`)]).toEqual([api, false]);
        for (const other of databaseOwners.filter((each) => each !== name))
          for (const subject of natsRightsOf(other, subjectPrefix).publish.filter((each) =>
            each.includes('.CONSUMER.MSG.NEXT.'),
          ))
            expect([subject, await asks(subject)]).toEqual([subject, false]);
      } finally {
        await connection.close();
      }
    },
  );
});
