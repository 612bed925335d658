import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { event, service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { identity as contract } from '@assay/contracts/identity';
import { start } from '@assay/identity/service';
import { makeKey } from '@assay/runtime/api-key';
import { createStreams, subscription } from '@assay/runtime/bus/streams';
import { newId } from '@assay/runtime/ids';
import { keysOfSecret } from '@assay/runtime/keys';
import { operatorIdentity, serviceIdentity } from '@assay/runtime/signature';
import { findPlaces } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { tellOperators } from '../src/running.ts';

const shop = service({
  name: 'shop',
  summary: 'Announces sales',
  events: {
    sold: event({ summary: 'Something was sold', payload: z.object({ name: z.string() }) }),
  },
});

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld({ services: { identity: start } });
  folder = await mkdtemp(join(tmpdir(), 'assay-admin-'));
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true });
});

const script = fileURLToPath(new URL('../../dist/bundle/admin.js', import.meta.url));

const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('base64url');

/**
 * Runs the built command as the operator would, with nothing in its environment but what is given.
 */
async function admin(args: string[], environment: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, out, err, lines: out.trimEnd().split('\n') };
}

const connection = () => ({
  NATS_URL: world.config.NATS_URL.join(','),
  ASSAY_OPERATOR_SECRET: world.config.ASSAY_OPERATOR_SECRET,
  SUBJECT_PREFIX: world.config.SUBJECT_PREFIX,
});
const verify = (key: string) =>
  world.bus.asks(contract).identity.verifyKey(serviceIdentity(''), { keyHash: hashOfKey(key) });
const oneSentence = /^[^\n]+\.\n$|^[^\n]+\?\n$/;

describe('npm run admin', () => {
  test("create-organization prints the new admin's key as its last line; create-key makes another; revoke-key ends it", async () => {
    const made = await admin(
      ['create-organization', 'Example Ltd', '--email', 'ada@example.com'],
      connection(),
    );
    expect([made.code, made.err]).toEqual([0, '']);
    const first = await verify(made.lines.at(-1)!);
    if (first.outcome !== 'valid') throw new Error('the key is not good');
    expect(first.role).toBe('admin');
    expect(made.out).toContain(first.organizationId);

    const another = await admin(
      ['create-key', first.organizationId, '--role', 'member', '--name', 'CI'],
      connection(),
    );
    const second = await verify(another.lines.at(-1)!);
    if (second.outcome !== 'valid') throw new Error('the key is not good');
    expect(second).toMatchObject({ organizationId: first.organizationId, role: 'member' });

    expect((await admin(['revoke-key', second.apiKeyId], connection())).code).toBe(0);
    expect(await verify(another.lines.at(-1)!)).toEqual({ outcome: 'unknown' });
    const again = await admin(['revoke-key', second.apiKeyId], connection());
    expect([again.code, again.out, again.err]).toEqual([
      1,
      '',
      'There is no API key with this id.\n',
    ]);
  });

  test('create-organization makes none where one has the name, and writes keys to files; rename-organization renames', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-keys-'));
    const file = join(folder, 'key');
    const words = ['create-organization', 'Only Ltd', '--unless-there', '--key-file', file];
    const made = await admin(words, connection());
    expect([made.code, made.err]).toEqual([0, '']);
    const key = (await readFile(file, 'utf8')).trim();
    expect(made.out).not.toContain(key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const first = await verify(key);
    if (first.outcome !== 'valid') throw new Error('the key is not good');
    const again = await admin(words, connection());
    expect([again.code, again.out]).toEqual([
      0,
      `Organization ${first.organizationId} has this name already. Nothing was made.\n`,
    ]);

    const refused = await admin(
      ['create-key', first.organizationId, '--key-file', file],
      connection(),
    );
    expect([refused.code, refused.err]).toEqual([
      1,
      `${file} is there already: name another file.\n`,
    ]);
    const nowhere = join(folder, 'none', 'key');
    const lost = await admin(
      ['create-key', first.organizationId, '--key-file', nowhere],
      connection(),
    );
    expect([lost.code, lost.err]).toEqual([1, expect.stringMatching(oneSentence)]);

    const renamed = await admin(
      ['rename-organization', first.organizationId, 'Other Ltd'],
      connection(),
    );
    expect([renamed.code, renamed.err]).toEqual([0, '']);
    const list = await admin(['list-organizations'], connection());
    expect(list.lines.find((line) => line.includes(first.organizationId))).toContain('Other Ltd');
    const unknown = await admin(['rename-organization', 'nobody', 'Other Ltd'], connection());
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringMatching(oneSentence)]);
    await rm(folder, { recursive: true });
  });

  test('suspend-organization refuses its key until resume-organization; list-organizations tells the state', async () => {
    const made = await admin(['create-organization', 'Unpaid Ltd'], connection());
    const key = made.lines.at(-1)!;
    const first = await verify(key);
    if (first.outcome !== 'valid') throw new Error('the key is not good');
    const { organizationId } = first;
    const stateOf = async () =>
      (await admin(['list-organizations'], connection())).lines.find((line) =>
        line.includes(organizationId),
      );

    const suspended = await admin(['suspend-organization', organizationId], connection());
    expect([suspended.code, suspended.err, suspended.out]).toEqual([
      0,
      '',
      `Organization ${organizationId} is suspended. Its requests are refused, its data is kept.\n`,
    ]);
    expect(await verify(key)).toEqual({ outcome: 'unknown', isSuspended: true });
    expect(await stateOf()).toContain('suspended');
    expect((await admin(['suspend-organization', organizationId], connection())).code).toBe(0);

    const resumed = await admin(['resume-organization', organizationId], connection());
    expect([resumed.code, resumed.err]).toEqual([0, '']);
    expect(await verify(key)).toEqual(first);
    expect(await stateOf()).toContain('active');
    for (const command of ['suspend-organization', 'resume-organization']) {
      const unknown = await admin([command, 'nobody'], connection());
      expect([unknown.code, unknown.err]).toEqual([1, expect.stringMatching(oneSentence)]);
    }
  });

  test('forget erases a person, by an address or an id, with a count of what went and of what is left, and no last admin', async () => {
    const made = await admin(
      ['create-organization', 'People Ltd', '--email', 'boss@people.example'],
      connection(),
    );
    const boss = await verify(made.lines.at(-1)!);
    if (boss.outcome !== 'valid') throw new Error('the key is not good');
    const { organizationId } = boss;
    const identity = { organizationId, userId: boss.userId, apiKeyId: boss.apiKeyId };
    const email = 'linus@people.example';
    const post = (path: string, body: unknown, as = {}) =>
      world.request('POST', path, body, {
        identity: { ...identity, ...as },
        headers: { 'idempotency-key': crypto.randomUUID() },
      });
    const { userId } = (await post('/members', { email, name: 'Linus', role: 'admin' })).body;
    const { key } = (await post('/api-keys', { name: 'his' }, { userId })).body;
    expect((await verify(key)).outcome).toBe('valid');
    await admin(['login-link', email], { ...connection(), PUBLIC_URL: 'http://assay.test/v2' });
    const places = () => {
      const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = world.config;
      return findPlaces({ uri, prefix, text: email });
    };
    expect(await places()).toEqual(['identity.idempotency', 'identity.members']);

    const forgotten = await admin(['forget', organizationId, 'Linus@people.example'], connection());
    expect([forgotten.code, forgotten.err]).toEqual([0, '']);
    const rows = forgotten.lines.slice(0, -1).map((line) => line.trim().split(/ {2,}/));
    expect(rows).toEqual([
      ['PLACE', 'ERASED', 'LEFT'],
      ['members', '1', '0'],
      ['apiKeys', '1', '0'],
      ['browserSessions', '0', '0'],
      ['loginTokens', '1', '0'],
      ['invitations', '0', '0'],
      ['deviceLogins', '0', '0'],
      ['importedPeople', '0', '0'],
      ['deviceCodeAttempts', '0', '0'],
      ['idempotency', '2', '0'],
    ]);
    expect(forgotten.lines.at(-1)).toBe(
      `The person ${userId} is forgotten: what they authored has this id, which is nobody's.`,
    );
    expect(await places()).toEqual([]);
    expect(await verify(key)).toEqual({ outcome: 'unknown' });

    const again = await admin(['forget', organizationId, userId], connection());
    expect([again.code, again.lines.at(-1)]).toEqual([
      0,
      `Nothing of a person with the id ${userId} was there.`,
    ]);
    for (const user of [boss.userId, 'nobody@people.example']) {
      const refused = await admin(['forget', organizationId, user], connection());
      expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(oneSentence)]);
    }
    expect((await verify(made.lines.at(-1)!)).outcome).toBe('valid');
  });

  test('login-link prints a link that signs a member in once, below the public address, as its last line', async () => {
    const ask = world.bus.asks(contract).identity;
    const { organization } = await ask.createOrganization(operatorIdentity, {
      name: 'Linked',
      email: 'grace@example.com',
      key: makeKey().kept,
    });
    const signIn = (token: string) =>
      world.request(
        'POST',
        '/session',
        { token },
        { identity: { organizationId: '', userId: '', role: 'anonymous', apiKeyId: null } },
      );
    for (const [base, member] of [
      ['https://assay.example.com', 'Grace@example.com'],
      ['https://example.com/tools/assay', organization.id],
    ] as const) {
      const made = await admin(['login-link', member], {
        ...connection(),
        PUBLIC_URL: `${base}/v2/`,
      });
      expect([made.code, made.err]).toEqual([0, '']);
      expect(made.out).toContain('grace@example.com (admin)');
      const [, link, token] = /^(.*)#once=(al_\w{49})$/.exec(made.lines.at(-1)!)!;
      expect(link).toBe(`${base}/login`);
      expect((await signIn(token!)).status).toBe(204);
      expect((await signIn(token!)).status).toBe(401);
    }
  });

  test('list-organizations prints an aligned table, and a name cannot steer the terminal', async () => {
    const ask = world.bus.asks(contract).identity;
    for (const name of ['A', 'Red \u001b[31m'.padEnd(40, 'x')])
      await ask.createOrganization(operatorIdentity, { name, key: makeKey().kept });
    const { code, lines, out } = await admin(['list-organizations'], connection());
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^ID {2,}CREATED {2,}STATE {2,}NAME$/);
    const column = lines[0]!.indexOf('NAME');
    expect(lines.slice(1).every((line) => line[column - 1] === ' ' && line[column] !== ' ')).toBe(
      true,
    );
    expect(out).not.toContain('\u001b');
    expect(lines.at(-1)).toContain('Red');
  });

  test('without an environment it asks what the launcher wrote into the data folder', async () => {
    const {
      NATS_URL: natsUrl,
      ASSAY_OPERATOR_SECRET: operatorSecret,
      SUBJECT_PREFIX: subjectPrefix,
    } = connection();
    const ofBackups = {
      mongodbUri: world.config.MONGODB_URI,
      databasePrefix: 'assay',
      attachmentsFolder: folder,
      apiUrl: 'http://127.0.0.1:4400/v2',
    };
    await tellOperators(folder, { natsUrl, operatorSecret, subjectPrefix, ...ofBackups });
    const made = await admin(['create-organization', 'Laptop'], { ASSAY_DATA_DIR: folder });
    const verified = await verify(made.lines.at(-1)!);
    if (verified.outcome !== 'valid') throw new Error('the key is not good');
    expect(verified.role).toBe('admin');
    const link = await admin(['login-link', verified.userId], { ASSAY_DATA_DIR: folder });
    expect(link.lines.at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:4400\/login#once=al_/);
  });

  test('where nothing runs it says so in one sentence', async () => {
    const { code, out, err } = await admin(['list-organizations'], {
      ASSAY_DATA_DIR: join(folder, 'nowhere'),
    });
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      'Assay is not running here; start it with `npm start`, or set NATS_URL and ASSAY_OPERATOR_SECRET.\n',
    );
  });

  test('every mistake is one sentence on standard error and exit 1, with no stack and no secret', async () => {
    const secret = connection().ASSAY_OPERATOR_SECRET;
    await writeFile(join(folder, 'running.json'), '{');
    const mistakes: [string[], Record<string, string>][] = [
      [['create-key', 'nowhere'], connection()],
      [['create-organization', ''], connection()],
      [['list-organizations'], { ...connection(), ASSAY_OPERATOR_SECRET: `${secret}x` }],
      [['list-organizations'], { ...connection(), ASSAY_OPERATOR_SECRET: 'short' }],
      [['list-organizations'], { ...connection(), SUBJECT_PREFIX: 'elsewhere' }],
      [['list-organizations'], { ...connection(), NATS_URL: 'nats://127.0.0.1:1' }],
      [['list-organizations'], { ASSAY_DATA_DIR: folder }],
      [
        ['login-link', 'nobody@example.com'],
        { ...connection(), PUBLIC_URL: 'https://a.example/v2' },
      ],
      [['login-link', 'nobody@example.com'], { ...connection(), PUBLIC_URL: 'assay.example.com' }],
      [['login-link', 'nobody@example.com'], connection()],
      [['limits', 'nowhere', 'records=1'], connection()],
      [['limits', 'nowhere', 'records'], connection()],
      [['limits', 'nowhere', 'record=1'], connection()],
      [['limits', 'nowhere', 'requests-per-minute=0'], connection()],
    ];
    for (const [args, environment] of mistakes) {
      const { code, out, err } = await admin(args, environment);
      expect([args, code, out]).toEqual([args, 1, '']);
      expect(err).toMatch(oneSentence);
      expect(err).not.toContain(secret);
    }
  });

  test('limits that cannot be read are told by their names and forms', async () => {
    const refusalOf = async (...words: string[]) =>
      (await admin(['limits', 'nowhere', ...words], connection())).err;
    expect(await refusalOf('records=1', 'record=1')).toBe(
      'There is no limit "record": the limits are records, attachment-bytes, trace-bytes-per-day, requests-per-minute, judge-budget.\n',
    );
    expect(await refusalOf('trace-bytes-per-day=10GB')).toBe(
      'trace-bytes-per-day must be a number of bytes, or one of KiB, MiB, GiB, TiB, such as trace-bytes-per-day=10GiB, or trace-bytes-per-day=default for that of the installation.\n',
    );
    for (const wrong of ['records=-1', 'records=1.5', 'records=', 'judge-budget=$5', 'toString=1'])
      expect(await refusalOf(wrong), wrong).toMatch(/^(\S+ must be|There is no limit) /);
  });

  test('dead-letters lists what services gave up, shows it, and sends it again', async () => {
    const prefix = world.config.SUBJECT_PREFIX;
    // No permissions name a service of the test's own.
    const options = { ...world.bus.options, keys: keysOfSecret('x'.repeat(32)) };
    const streams = createStreams({ bus: { ...world.bus, options }, log: options.log });
    onTestFinished(() => streams.stop());
    await streams.prepare();
    const empty = await admin(['dead-letters'], connection());
    expect([empty.code, empty.out, empty.err]).toEqual([0, 'There are no dead letters.\n', '']);

    let isMended = false;
    const handled: unknown[] = [];
    streams.consumeEvents('shelf', [
      subscription(shop, 'sold', async ({ organizationId }, { name }) => {
        if (!isMended) throw new Failure('VALIDATION_ERROR', 'The shelf is full.');
        handled.push([organizationId, name]);
      }),
    ]);
    const organizationId = newId();
    await streams.publishEvent({
      service: 'shop',
      event: 'sold',
      eventId: newId(),
      identity: serviceIdentity(organizationId),
      payload: '{"name":"tea"}',
    });
    const listed = await poll('the dead letter', async () => {
      const { lines } = await admin(['dead-letters'], connection());
      return lines.length === 2 && lines;
    });
    expect(listed[1]).toMatch(
      new RegExp(
        `^ +1  \\S+T\\S+  event\\.shop\\.sold  ${organizationId} +1  The shelf is full\\.$`,
      ),
    );
    const shown = await admin(['dead-letters', '1'], connection());
    expect(shown.lines.slice(1)).toEqual([
      'Message: event.shop.sold',
      `Organization: ${organizationId}`,
      'Attempts: 1',
      'Reason: The shelf is full.',
      'Payload: {"name":"tea"}',
    ]);

    const early = await admin(['dead-letters', '1', '--send-again'], connection());
    expect([early.code, early.err]).toEqual([
      1,
      expect.stringContaining('as a repeat: try again later.\n'),
    ]);
    const { streams: manager } = await world.bus.connection.jetstreamManager();
    const events = `${prefix.toUpperCase()}-EVENTS`;
    const { config } = await manager.info(events);
    await manager.update(events, { ...config, duplicate_window: 100_000_000 });
    isMended = true;
    const sent = await poll('the stream has forgotten its id', async () => {
      const again = await admin(['dead-letters', 'all', '--send-again'], connection());
      return again.code === 0 && again;
    });
    expect(sent.out).toBe('Dead letter 1 was sent again.\n');
    await poll('it is handled', () => handled.length === 1);
    expect(handled).toEqual([[organizationId, 'tea']]);
    const nothing = await admin(['dead-letters', '1'], connection());
    expect([nothing.code, nothing.err]).toEqual([1, 'There is no dead letter 1.\n']);
    expect((await admin(['dead-letters', 'x'], connection())).err).toMatch(oneSentence);
    expect((await admin(['dead-letters', '--send-again'], connection())).err).toMatch(oneSentence);
  });

  test('a wrong secret and a wrong address are told by their variables', async () => {
    const { err: secret } = await admin(['list-organizations'], {
      ...connection(),
      ASSAY_OPERATOR_SECRET: 'x'.repeat(32),
    });
    expect(secret).toBe(
      'Assay does not accept this ASSAY_OPERATOR_SECRET: set it to the one that identity has.\n',
    );
    const { err: address } = await admin(['list-organizations'], {
      ...connection(),
      NATS_URL: 'nats://127.0.0.1:1',
    });
    expect(address).toBe(
      'NATS_URL: no NATS server listens at 127.0.0.1:1: start nats-server, or correct the address.\n',
    );
  });
});
