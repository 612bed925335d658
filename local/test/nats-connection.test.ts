import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { connectNats } from '@assay/runtime/bus/connection';
import { createStreams } from '@assay/runtime/bus/streams';
import type { NatsConfig } from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import { hasOpenssl } from '@assay/testing/certificate';
import { poll } from '@assay/testing/poll';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../src/port.ts';
import {
  makeCertificate,
  startForeignNats,
  startStranger,
  withJetStream,
} from './foreign-servers.ts';
import { makeOperator } from './nats-jwt.ts';
import { makeFolder } from './setting.ts';

const log = createLog({ name: 'test', level: 'silent' });

async function connectOnce(urls: string, nats: NatsConfig = {}) {
  const connection = await connectNats({
    urls: urls.split(','),
    nats,
    name: 'test',
    log,
    waitMs: 0,
  });
  onTestFinished(() => connection.close());
  return connection;
}

/** Whether this is let in, and can use JetStream. */
async function isLetIn(url: string, nats?: NatsConfig): Promise<boolean> {
  const manager = await (await connectOnce(url, nats)).jetstreamManager();
  return (await manager.getAccountInfo()).streams === 0;
}

describe('a NATS_URL that is of no use is told in one sentence', () => {
  test('nothing listens there', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    await expect(connectOnce(`nats://${address}`)).rejects.toThrow(
      `NATS_URL: no NATS server listens at ${address}: start nats-server, or correct the address.`,
    );
  });

  test('the host is not known', async () => {
    await expect(connectOnce('nats://nowhere.invalid:4222')).rejects.toThrow(
      /^NATS_URL: the host of nowhere\.invalid:4222 is not known \(\w+\): correct the address\.$/,
    );
  });

  test('something else listens there', async () => {
    const address = await startStranger(() => undefined);
    await expect(connectOnce(`nats://${address}`)).rejects.toThrow(
      `NATS_URL: ${address} does not answer as a NATS server: name the port for clients, 4222 where nothing else is configured.`,
    );
  });

  test('the server has no JetStream', async () => {
    const address = await startForeignNats('');
    await expect(connectOnce(`nats://${address}`)).rejects.toThrow(
      `NATS_URL: the NATS server at ${address} has no JetStream, which Assay needs (503): start nats-server with --jetstream.`,
    );
  });

  test('the server asks for credentials, or refuses those that are given; no password is repeated', async () => {
    const address = await startForeignNats(
      `authorization { user: assay, password: "right" }\n${withJetStream}`,
    );
    await expect(connectOnce(`nats://${address}`)).rejects.toThrow(
      `NATS_URL: the NATS server at ${address} asks for credentials: set NATS_USER and NATS_PASSWORD, NATS_TOKEN or NATS_CREDENTIALS_FILE.`,
    );
    await expect(connectOnce(`nats://assay:wrong@${address}`)).rejects.toThrow(
      `NATS_URL: the NATS server at ${address} refuses the user "assay" with the password before the @: correct what is refused.`,
    );
    await expect(connectOnce(`nats://${address}`, { NATS_TOKEN: 'wrong' })).rejects.toThrow(
      `NATS_URL: the NATS server at ${address} refuses this NATS_TOKEN: correct what is refused.`,
    );
  });

  test('credentials that are half there, there twice or not to be read', async () => {
    const address = 'nats://127.0.0.1:1';
    await expect(connectOnce(address, { NATS_USER: 'assay' })).rejects.toThrow(
      'NATS_USER and NATS_PASSWORD need each other: set both.',
    );
    await expect(connectOnce('nats://a:b@127.0.0.1:1', { NATS_TOKEN: 'c' })).rejects.toThrow(
      'NATS_URL (before the @) and NATS_TOKEN give credentials of NATS: leave all but one out.',
    );
    await expect(connectOnce(address, { NATS_CREDENTIALS_FILE: '/nowhere/creds' })).rejects.toThrow(
      'NATS_CREDENTIALS_FILE names /nowhere/creds, which cannot be read (ENOENT).',
    );
  });
});

describe('NATS lets Assay in', () => {
  test('by user and password, in the URL or beside it', async () => {
    const address = await startForeignNats(
      `authorization { user: assay, password: "p:@ss/1" }\n${withJetStream}`,
    );
    expect(await isLetIn(`nats://assay:${encodeURIComponent('p:@ss/1')}@${address}`)).toBe(true);
    expect(
      await isLetIn(`nats://${address}`, { NATS_USER: 'assay', NATS_PASSWORD: 'p:@ss/1' }),
    ).toBe(true);
  });

  test('by token', async () => {
    const address = await startForeignNats(`authorization { token: "secret" }\n${withJetStream}`);
    expect(await isLetIn(`nats://${address}`, { NATS_TOKEN: 'secret' })).toBe(true);
    expect(await isLetIn(`nats://secret@${address}`)).toBe(true);
  });

  test('by a credentials file', async () => {
    const { configuration, credentials } = makeOperator();
    const address = await startForeignNats(`${configuration}\n${withJetStream}`);
    const file = join(await makeFolder(), 'assay.creds');
    await writeFile(file, credentials);
    expect(await isLetIn(`nats://${address}`, { NATS_CREDENTIALS_FILE: file })).toBe(true);
  });

  test.skipIf(!hasOpenssl)(
    'over TLS, with a certificate of its own where the server wants one; a stranger’s certificate is refused',
    async () => {
      const { certificate, key } = await makeCertificate();
      const tls = `cert_file: "${certificate}", key_file: "${key}"`;
      const [open, strict] = await Promise.all([
        startForeignNats(`tls { ${tls} }\n${withJetStream}`),
        startForeignNats(
          `tls { ${tls}, ca_file: "${certificate}", verify: true }\n${withJetStream}`,
        ),
      ]);
      expect(await isLetIn(`tls://${open}`, { NATS_TLS_CA_FILE: certificate })).toBe(true);
      await expect(connectOnce(`tls://${open}`)).rejects.toThrow(
        `NATS_URL: the certificate of the NATS server at ${open} is not trusted (self-signed certificate): set NATS_TLS_CA_FILE to the certificate of its authority.`,
      );
      const own = {
        NATS_TLS_CA_FILE: certificate,
        NATS_TLS_CERT_FILE: certificate,
        NATS_TLS_KEY_FILE: key,
      };
      expect(await isLetIn(`tls://${strict}`, own)).toBe(true);
      await expect(
        connectOnce(`tls://${strict}`, { NATS_TLS_CA_FILE: certificate }),
      ).rejects.toThrow(/NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE/);
    },
  );

  test('but tls:// is never answered in the clear', async () => {
    const address = await startForeignNats(withJetStream);
    await expect(connectOnce(`tls://${address}`)).rejects.toThrow(
      /^NATS_URL: the NATS server at [\d.:]+ has no TLS: /,
    );
  });
});

test('a process that finds no NATS says so at once, goes on trying, and is connected when there is one', async () => {
  const port = await freePort();
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk, _encoding, done) => done(void lines.push(JSON.parse(String(chunk)).msg)),
  });
  const loud = createLog({ name: 'test', level: 'info', destination });
  const connecting = connectNats({ urls: [`nats://127.0.0.1:${port}`], name: 'test', log: loud });
  await poll('it is said', () => lines.length > 0);
  expect(lines).toEqual([
    `NATS_URL: no NATS server listens at 127.0.0.1:${port}: start nats-server, or correct the address.`,
  ]);
  await startForeignNats(withJetStream, port);
  const connection = await connecting;
  onTestFinished(() => connection.close());
  expect(connection.isClosed()).toBe(false);
});

test('a process that has waited for NATS long enough ends with the sentence, so that its supervisor starts it again', async () => {
  const urls = [`nats://127.0.0.1:${await freePort()}`];
  await expect(connectNats({ urls, name: 'test', log, waitMs: 500 })).rejects.toThrow(
    /^NATS_URL: no NATS server listens at /,
  );
});

/** The streams of a service whose settings of NATS are these. */
async function openStreams(url: string, nats: NatsConfig) {
  const connection = await connectOnce(url, nats);
  const options = { urls: [], nats, name: 'test', prefix: 'many', secret: 'x'.repeat(32), log };
  const streams = createStreams({
    bus: { connection, options, isConnected: () => true } as never,
    log,
  });
  const kept = async () =>
    (await (await connection.jetstreamManager()).streams.info('MANY-EVENTS')).config;
  return { prepare: streams.prepare, kept };
}

describe('NATS_STREAM_BYTES_MAX', () => {
  const accountOf = (limits: string) =>
    `${withJetStream}\naccounts { A { users: [{ user: a, password: b }], jetstream: { ${limits} } } }\nno_auth_user: a`;

  test('lets an account in that wants to know how large a stream may become', async () => {
    const address = await startForeignNats(
      accountOf('max_mem: 64MB, max_file: 8GB, max_streams: 20, max_bytes_required: true'),
    );
    const { prepare, kept } = await openStreams(`nats://${address}`, {});
    await prepare();
    expect(await kept()).toMatchObject({ max_bytes: 1024 ** 3, discard: 'new' });
  });

  test('is named where an account has less room', async () => {
    const address = await startForeignNats(accountOf('max_mem: 64MB, max_file: 64MB'));
    const { prepare } = await openStreams(`nats://${address}`, {});
    await expect(prepare()).rejects.toThrow(
      /^NATS_STREAM_BYTES_MAX: NATS has no room for the 1073741824 bytes that the stream MANY-EVENTS may take \(.+\): lower it, or give the account of NATS more\.$/,
    );
    const smaller = await openStreams(`nats://${address}`, {
      NATS_STREAM_BYTES_MAX: 8 * 1024 ** 2,
    });
    await smaller.prepare();
  });

  test('changed, it holds for streams that are there, also for those of a release without it', async () => {
    const url = `nats://${await startForeignNats(withJetStream)}`;
    const connection = await connectOnce(url);
    const { streams } = await connection.jetstreamManager();
    await streams.add({ name: 'MANY-EVENTS', subjects: ['many.event.>'] });
    for (const bytes of [4 * 1024 ** 2, 2 * 1024 ** 2]) {
      const { prepare, kept } = await openStreams(url, { NATS_STREAM_BYTES_MAX: bytes });
      await prepare();
      expect(await kept()).toMatchObject({ max_bytes: bytes, discard: 'new' });
    }
  });
});

test('subjects that another stream has are told with SUBJECT_PREFIX', async () => {
  const url = `nats://${await startForeignNats(withJetStream)}`;
  const connection = await connectOnce(url);
  const { streams } = await connection.jetstreamManager();
  await streams.add({ name: 'FOREIGN', subjects: ['many.>'] });
  const { prepare } = await openStreams(url, {});
  await expect(prepare()).rejects.toThrow(
    /^SUBJECT_PREFIX: NATS has a stream of another kind for the subjects of MANY-EVENTS \(.+\): set another prefix\.$/,
  );
});

describe('NATS_STREAM_REPLICAS', () => {
  const streamsOf = async (url: string, replicas: number) => {
    const { prepare, kept } = await openStreams(url, { NATS_STREAM_REPLICAS: replicas });
    return { prepare, kept: async () => (await kept()).num_replicas };
  };

  test('a NATS that cannot keep so many is told in one sentence', async () => {
    const { prepare } = await streamsOf(`nats://${await startForeignNats(withJetStream)}`, 3);
    await expect(prepare()).rejects.toThrow(
      /^NATS_STREAM_REPLICAS is 3, and NATS cannot keep a stream so often \(.+\): lower it, or add servers to the cluster\.$/,
    );
  });

  test('raised, it holds for streams that are there', async () => {
    const ports = await Promise.all([1, 2, 3].map(freePort));
    const routes = await Promise.all([1, 2, 3].map(freePort));
    const member = (index: number) => {
      const others = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
      return `server_name: n${index}\n${withJetStream}\ncluster { name: c, listen: "127.0.0.1:${routes[index]}", routes: [${others}] }`;
    };
    await Promise.all(ports.map((port, index) => startForeignNats(member(index), port)));
    const url = ports.map((port) => `nats://127.0.0.1:${port}`).join(',');
    const first = await poll('the cluster has a leader', () =>
      streamsOf(url, 1).catch(() => undefined),
    );
    await poll('the stream is made', () =>
      first.prepare().then(
        () => true,
        () => false,
      ),
    );
    expect(await first.kept()).toBe(1);
    const second = await streamsOf(url, 3);
    await poll('the stream has three', async () => {
      await second.prepare().catch(() => undefined);
      return (await second.kept()) === 3;
    });
  });
});
