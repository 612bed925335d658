import { openDatabase } from '@assay/runtime/mongo/database';
import { hasOpenssl } from '@assay/testing/certificate';
import { MongoClient } from 'mongodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../src/port.ts';
import { until } from '../src/until.ts';
import { makeCertificate, startForeignMongod, startStranger } from './foreign-servers.ts';

/** Opens it as a service does. */
async function open(uri: string) {
  const database = await openDatabase({ uri, name: 'assay_catalog' });
  onTestFinished(() => database.close());
  return database;
}

const setOfOne = ['--replSet', 'rs0'];

/** Makes the server a primary that names itself as told. */
async function initiate(
  address: string,
  { host = address, options = '' } = {},
): Promise<MongoClient> {
  const client = new MongoClient(`mongodb://${address}/?directConnection=true${options}`);
  onTestFinished(() => client.close());
  const admin = client.db('admin');
  await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
  if (host === address)
    await until({
      condition: async () => (await admin.command({ hello: 1 })).isWritablePrimary,
      timeoutMs: 300_000,
    });
  return client;
}

describe('a MONGODB_URI that is of no use is told in one sentence, before anything is written', () => {
  test('nothing listens there', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    await expect(open(`mongodb://${address}`)).rejects.toThrow(
      `MONGODB_URI: no MongoDB listens at ${address}: start mongod, or correct the address.`,
    );
  });

  test('the host is not known', async () => {
    const sentence =
      /^MONGODB_URI: the host of nowhere\.invalid(:27017)? is not known \(\w+\): correct the address\.$/;
    await Promise.all(
      ['mongodb://nowhere.invalid', 'mongodb+srv://nowhere.invalid'].map((uri) =>
        expect(open(uri)).rejects.toThrow(sentence),
      ),
    );
  });

  test('something else listens there, and says nothing', async () => {
    const address = await startStranger(() => undefined);
    await expect(open(`mongodb://${address}`)).rejects.toThrow(
      /^MONGODB_URI: the MongoDB at 127\.0\.0\.1:\d+ does not answer \(.*\): /,
    );
  });

  test('it cannot be read; the password in it is not repeated', async () => {
    await expect(open('mongodb://127.0.0.1/?nonsense=1')).rejects.toThrow(
      'MONGODB_URI cannot be read (option nonsense is not supported): correct it.',
    );
    const failed = await open('mongodb://assay:sec@ret@127.0.0.1').catch(
      (error: Error) => error.message,
    );
    expect(failed).toMatch(/^MONGODB_URI cannot be read/);
    expect(failed).not.toContain('ret');
  });

  test('the server is no replica set', async () => {
    const { address } = await startForeignMongod();
    await Promise.all([
      expect(open(`mongodb://${address}`)).rejects.toThrow(
        `MONGODB_URI: the MongoDB at ${address} is not a replica set, and Assay needs transactions: start mongod with --replSet and run rs.initiate() once.`,
      ),
      expect(open(`mongodb://${address}/?replicaSet=rs0`)).rejects.toThrow(
        / is not a replica set, /,
      ),
    ]);
  });

  test('the replica set was never initiated, has another name, or no primary', async () => {
    const { address } = await startForeignMongod({ args: setOfOne });
    await Promise.all(
      ['', '/?replicaSet=rs0', '/?directConnection=true'].map((options) =>
        expect(open(`mongodb://${address}${options}`)).rejects.toThrow(
          `MONGODB_URI: the MongoDB at ${address} is a replica set that was never initiated: run rs.initiate() once.`,
        ),
      ),
    );
    const client = await initiate(address);
    await expect(open(`mongodb://${address}/?replicaSet=other`)).rejects.toThrow(
      `MONGODB_URI: the MongoDB at ${address} belongs to the replica set "rs0", not to "other": correct replicaSet=.`,
    );
    await open(`mongodb://${address}/?replicaSet=rs0`);
    const admin = client.db('admin');
    const { config } = await admin.command({ replSetGetConfig: 1 });
    const gone = `127.0.0.1:${await freePort()}`;
    const settings = { ...config.settings, electionTimeoutMillis: 500, heartbeatTimeoutSecs: 1 };
    const members = [...config.members, { _id: 1, host: gone }];
    await admin.command({
      replSetReconfig: { ...config, version: config.version + 1, settings, members },
      force: true,
    });
    await until({
      condition: async () => !(await admin.command({ hello: 1 })).isWritablePrimary,
      timeoutMs: 300_000,
    });
    await expect(open(`mongodb://${address}`)).rejects.toThrow(
      `MONGODB_URI: the replica set "rs0" has no primary that can be reached from here, and its member ${gone} does not answer (ECONNREFUSED): start it, or give it an address that can be reached.`,
    );
  });

  test.skipIf(!hasOpenssl)(
    'TLS on one side only, or a certificate that nobody vouches for; with it the driver speaks TLS',
    async () => {
      const { certificate, both } = await makeCertificate();
      const own = [
        '--tlsMode',
        'requireTLS',
        '--tlsCertificateKeyFile',
        both,
        '--tlsCAFile',
        certificate,
      ];
      const [{ address: clear }, { address: strict }] = await Promise.all([
        startForeignMongod({ args: setOfOne }),
        startForeignMongod({
          args: [...setOfOne, ...own, '--tlsAllowConnectionsWithoutCertificates'],
        }),
      ]);
      await initiate(clear);
      await initiate(strict, { options: `&tls=true&tlsCAFile=${encodeURIComponent(certificate)}` });
      await Promise.all([
        expect(open(`mongodb://${clear}/?tls=true`)).rejects.toThrow(
          / cannot be spoken to over TLS \(.*\): take tls=true out, /,
        ),
        expect(open(`mongodb://${strict}`)).rejects.toThrow(
          `the MongoDB at ${strict} ends the connection at once: add tls=true if it wants TLS.`,
        ),
        expect(open(`mongodb://${strict}/?tls=true`)).rejects.toThrow(
          / is not trusted \(self-signed certificate\): add tlsCAFile=/,
        ),
      ]);
      const database = await open(
        `mongodb://${strict}/?tls=true&tlsCAFile=${encodeURIComponent(certificate)}`,
      );
      await database.transaction(() => database.collection('items').insertOne({ name: 'kept' }));
      expect(await database.collection('items').countDocuments()).toBe(1);
    },
  );
});
