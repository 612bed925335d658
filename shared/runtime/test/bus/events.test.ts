import { event, type Identity, job, service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { type Bus, connectBus } from '@assay/runtime/bus/bus';
import { backOffMs } from '@assay/runtime/bus/consumers';
import { jobSubject } from '@assay/runtime/bus/job-queues';
import { createOutbox, type Outbox, unsealOutbox } from '@assay/runtime/bus/outbox';
import { storedHeaders } from '@assay/runtime/bus/sealed-messages';
import { createStreams, type Streams, subscription } from '@assay/runtime/bus/streams';
import { subjectOf } from '@assay/runtime/bus/subjects';
import type { ServiceConfig } from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { serviceIdentity } from '@assay/runtime/signature';
import { testConfigOfSecret } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keysOfSecret } from '../../keys.ts';

const payload = z.object({ name: z.string() });
const shop = service({
  name: 'shop',
  summary: 'Announces sales',
  events: { sold: event({ summary: 'Something was sold', payload }) },
  jobs: {
    pack: job({ summary: 'Pack it', payload, attempts: 3, finishMs: 5000 }),
    send: job({ summary: 'Send it', payload, attempts: 3, finishMs: 500 }),
    wrap: job({ summary: 'Wrap it', payload, attempts: 3, finishMs: 5000 }),
    paint: job({ summary: 'Paint it', payload, attempts: 3, finishMs: 5000 }),
    stamp: job({ summary: 'Stamp it', payload, attempts: 3, finishMs: 5000 }),
    sign: job({ summary: 'Sign it', payload, attempts: 3, finishMs: 500 }),
  },
});
const identity = serviceIdentity('organization');
const log = createLog({ name: 'test', level: 'silent' });

let config: ServiceConfig;
let subject: string;
let database: Database;
let bus: Bus;
let streams: Streams;
let outbox: Outbox<typeof shop>;
const dead: {
  subject: string;
  reason: string;
  attempts: number;
  headers: Record<string, string>;
  payload: string;
}[] = [];

beforeAll(async () => {
  config = testConfigOfSecret();
  subject = subjectOf(config.SUBJECT_PREFIX, 'event', 'shop', 'sold');
  database = await openDatabase({
    uri: config.MONGODB_URI,
    name: `${config.DATABASE_PREFIX}_shop`,
  });
  bus = await connectBus({
    urls: config.NATS_URL,
    name: 'test',
    prefix: config.SUBJECT_PREFIX,
    keys: keysOfSecret(config.ASSAY_SECRET!),
    log,
  });
  bus.subscribeInEveryProcess(`${config.SUBJECT_PREFIX}.dead.>`, (letter) =>
    dead.push(letter as (typeof dead)[number]),
  );
  streams = createStreams({ bus, log });
  await streams.prepare();
  outbox = createOutbox({ contract: shop, database, bus, streams, log });
});

afterAll(async () => {
  await streams.stop();
  await outbox.stop();
  await bus.drain();
  await database.close();
  await dropData(config);
});

/** Another organization whose jobs wait in the same queue. */
function organizationBeside(organizationId: string): string {
  const other = newId();
  return jobSubject('', other) === jobSubject('', organizationId)
    ? other
    : organizationBeside(organizationId);
}

const announce = (name: string) =>
  database.transaction(() => outbox.announce.sold(identity, { name }));
const letterAbout = (name: string) =>
  poll('the dead letter', () => dead.find((letter) => letter.payload.includes(name)));

/** The stream takes an id that it had lately for a repeat: here, no longer than a moment. */
async function forgetIds(): Promise<void> {
  const { streams } = await bus.connection.jetstreamManager();
  const name = `${config.SUBJECT_PREFIX.toUpperCase()}-EVENTS`;
  const { config: stream } = await streams.info(name);
  await streams.update(name, { ...stream, duplicate_window: 100_000_000 });
}

/**
 * A service of its own that is stopped before its outbox was published, and goes on with another
 * secret.
 */
async function openLater() {
  const own = testConfigOfSecret();
  const connect = (secret: string) =>
    connectBus({
      urls: own.NATS_URL,
      name: 'later',
      prefix: own.SUBJECT_PREFIX,
      keys: keysOfSecret(secret),
      log,
    });
  const later = await openDatabase({ uri: own.MONGODB_URI, name: `${own.DATABASE_PREFIX}_shop` });
  const before = await connect(own.ASSAY_SECRET);
  const stopped = createOutbox({
    contract: shop,
    database: later,
    bus: before,
    streams: createStreams({ bus: before, log }),
    log,
  });
  await stopped.stop();
  const undo = [() => before.drain()];
  return {
    database: later,
    messages: later.collection('outbox'),
    announceLater: (name: string) =>
      later.transaction(() => stopped.announce.sold(identity, { name })),
    async goOnWith(secret: string) {
      const after = await connect(secret);
      const own = createStreams({ bus: after, log });
      await own.prepare();
      const heard: { name: string; identity: Identity }[] = [];
      own.consumeEvents('later', [
        subscription(shop, 'sold', async (as, { name }) => void heard.push({ name, identity: as })),
      ]);
      const relay = createOutbox({
        contract: shop,
        database: later,
        bus: after,
        streams: own,
        log,
      });
      undo.push(relay.stop, own.stop, () => after.drain());
      return heard;
    },
    async [Symbol.asyncDispose]() {
      for (const step of undo) await step();
      await later.close();
      await dropData(own);
    },
  };
}

/** What a consumer of its own heard, in order. */
function consume(
  consumer: string,
  handle: (name: string) => Promise<void> = async () => undefined,
): string[] {
  const heard: string[] = [];
  const sold = subscription(shop, 'sold', async (_identity, { name }) => {
    heard.push(name);
    await handle(name);
  });
  streams.consumeEvents(consumer, [sold]);
  return heard;
}

describe('an event', () => {
  test('reaches each consumer once, also one that comes later, and leaves the outbox', async () => {
    const first = consume('first');
    await announce('early');
    await poll('the first consumer heard it', () => first.length === 1);
    const second = consume('second');
    await poll('the second consumer heard it', () => second.includes('early'));
    await poll(
      'the outbox is empty',
      async () => (await database.collection('outbox').countDocuments()) === 0,
    );
    expect(first).toEqual(['early']);
  });

  test('of a transaction that was undone is never heard', async () => {
    const heard = consume('undone');
    const undone = database.transaction(async () => {
      await outbox.announce.sold(identity, { name: 'undone' });
      throw new Error('changed my mind');
    });
    await expect(undone).rejects.toThrow('changed my mind');
    await announce('after the undone');
    await poll('the next one is heard', () => heard.includes('after the undone'));
    expect(heard).not.toContain('undone');
  });

  test('cannot be announced outside the transaction of its change', async () => {
    await expect(outbox.announce.sold(identity, { name: 'x' })).rejects.toThrow(
      'outside the transaction',
    );
  });

  test('whose handling fails is delivered again until it succeeds', async () => {
    let failures = 2;
    const heard = consume('patient', async (name) => {
      if (name === 'twice' && failures-- > 0) throw new Error('not now');
    });
    await announce('twice');
    await poll('the third time', () => heard.filter((name) => name === 'twice').length === 3);
    expect(dead.filter((letter) => letter.payload.includes('twice'))).toEqual([]);
  });

  test('that is refused for what it says becomes a dead letter at once, with the reason', async () => {
    const heard = consume('strict', async (name) => {
      if (name === 'refused') throw new Failure('VALIDATION_ERROR', 'nobody sells that');
    });
    await announce('refused');
    expect(await letterAbout('refused')).toMatchObject({
      reason: 'nobody sells that',
      attempts: 1,
    });
    expect(heard.filter((name) => name === 'refused')).toHaveLength(1);
  });

  test('that nobody signed becomes a dead letter, and is not handled', async () => {
    const heard = consume('careful');
    await bus.connection.jetstream().publish(subject, '{"name":"forged"}', { msgID: 'forged' });
    expect((await letterAbout('forged')).reason).toMatch(/not signed/);
    expect(heard).not.toContain('forged');
  });

  test('that another secret signed becomes a dead letter', async () => {
    const heard = consume('suspicious');
    const message = { subject, id: 'foreign', identity, payload: '{"name":"foreign"}' };
    const headers = storedHeaders({ ...bus.options, keys: keysOfSecret('x'.repeat(32)) }, message);
    await bus.connection.jetstream().publish(subject, message.payload, { headers });
    expect((await letterAbout('foreign')).reason).toMatch(/not signed/);
    expect(heard).not.toContain('foreign');
  });

  test('that became a dead letter is handled when it is put back by hand, with its own headers', async () => {
    let isMended = false;
    const heard = consume('mended', async (name) => {
      if (name === 'mended' && !isMended)
        throw new Failure('VALIDATION_ERROR', 'not before it is mended');
    });
    await announce('mended');
    const letter = await letterAbout('mended');
    isMended = true;
    await forgetIds();
    const headers = storedHeaders(bus.options, { subject, id: '', identity, payload: '' });
    for (const [name, value] of Object.entries(letter.headers)) headers.set(name, value);
    const putBack = () =>
      bus.connection.jetstream().publish(letter.subject, letter.payload, { headers });
    await poll('the stream takes it', async () => !(await putBack()).duplicate);
    await poll('it is handled', () => heard.filter((name) => name === 'mended').length === 2);
    expect(dead.filter(({ payload }) => payload.includes('mended'))).toHaveLength(1);
  });

  test('of an organization stands behind no more than some of those of another that wait with it', async () => {
    await using later = await openLater();
    const { messages, announceLater } = later;
    const flood = Array.from({ length: 1000 }, (_, index) => ({
      _id: `0 ${String(index).padStart(4, '0')}`,
      identity: serviceIdentity('flood'),
      service: 'shop',
      event: 'sold',
      payload: '{"name":"one of many"}',
    }));
    await messages.insertMany(flood as never);
    await announceLater('the other');
    const heard = await later.goOnWith(config.ASSAY_SECRET!);
    await poll('it is heard', () => heard.some(({ name }) => name === 'the other'));
    expect(heard.findIndex(({ name }) => name === 'the other')).toBeLessThan(200);
  });

  test('that waits in the outbox while the secret is changed is signed with the new one, also when it was written by 0.1.0', async () => {
    await using later = await openLater();
    const { messages, announceLater } = later;
    await announceLater('written before');
    const sealed = `${Buffer.from(JSON.stringify({ ...identity, issuedAt: 0 })).toString('base64url')}.signature.request.1`;
    const old = { service: 'shop', event: 'sold', payload: '{"name":"written by 0.1.0"}' };
    await messages.insertOne({ _id: 'old', identity: sealed, ...old } as never);
    await unsealOutbox(later.database);
    const heard = await later.goOnWith('y'.repeat(32));
    await poll('both are heard', () => heard.length === 2);
    expect(heard.map(({ name }) => name).toSorted()).toEqual([
      'written before',
      'written by 0.1.0',
    ]);
    expect(heard.find(({ name }) => name === 'written by 0.1.0')!.identity).toEqual({
      ...identity,
      requestId: 'request.1',
    });
  });
});

describe('a job', () => {
  test('that fails every time becomes a dead letter after its attempts, and leaves the queue', async () => {
    const attempts: number[] = [];
    streams.workOn(shop, 'pack', {
      concurrency: 2,
      handle: async (_identity, { name }: { name: string }, { attempt }) => {
        if (name !== 'broken') return 'done';
        attempts.push(attempt);
        throw new Error('the box is broken');
      },
    });
    await streams.publishJob(shop, 'pack', identity, { name: 'broken' });
    await streams.publishJob(shop, 'pack', identity, { name: 'whole' });
    expect(await letterAbout('broken')).toMatchObject({ reason: 'the box is broken', attempts: 3 });
    expect(attempts).toEqual([1, 2, 3]);
    await poll('the queue is empty', async () => (await streams.backlog(shop, 'pack')) === 0);
  });

  test('that becomes a dead letter is told to its service once, with what it threw', async () => {
    const givenUp: { name: string; error: unknown }[] = [];
    const fault = new Error('the ink is dry');
    streams.workOn(shop, 'stamp', {
      concurrency: 2,
      handle: async () => {
        throw fault;
      },
      giveUp: async (_identity, { name }: { name: string }, error) => {
        givenUp.push({ name, error });
        throw new Error('nobody listens');
      },
    });
    await streams.publishJob(shop, 'stamp', identity, { name: 'unsigned' });
    expect(await letterAbout('unsigned')).toMatchObject({ reason: 'the ink is dry', attempts: 3 });
    expect(givenUp).toEqual([{ name: 'unsigned', error: fault }]);
  });

  test('that is requeued comes again behind the others, which does not count as an attempt', async () => {
    const turns: { name: string; attempt: number }[] = [];
    streams.workOn(shop, 'send', {
      concurrency: 1,
      handle: async (_identity, { name }: { name: string }, { attempt }) => {
        turns.push({ name, attempt });
        return name === 'heavy' && turns.length < 8 ? 'requeue' : 'done';
      },
    });
    await streams.publishJob(shop, 'send', identity, { name: 'heavy' });
    await streams.publishJob(shop, 'send', identity, { name: 'light' });
    await poll(
      'the queue is empty',
      async () => turns.length >= 8 && (await streams.backlog(shop, 'send')) === 0,
    );
    expect(turns.slice(0, 2).map(({ name }) => name)).toEqual(['heavy', 'light']);
    expect(turns.filter(({ name }) => name === 'heavy').every(({ attempt }) => attempt === 1)).toBe(
      true,
    );
    expect(turns).toHaveLength(8);
  });

  test('of an organization stands behind few of another that shares its queue', async () => {
    const flood = serviceIdentity('organization');
    const other = serviceIdentity(organizationBeside('organization'));
    const done: string[] = [];
    const published = Promise.all(
      Array.from({ length: 200 }, () => streams.publishJob(shop, 'wrap', flood, { name: 'flood' })),
    );
    await poll('some are published', async () => (await streams.backlog(shop, 'wrap')) > 0);
    await streams.publishJob(shop, 'wrap', other, { name: 'other' });
    expect(await streams.backlog(shop, 'wrap', other.organizationId)).toBeLessThan(50);
    streams.workOn(shop, 'wrap', {
      concurrency: 1,
      handle: async (_identity, { name }: { name: string }) => {
        done.push(name);
        return 'done';
      },
    });
    await published;
    await poll('all are done', async () => done.length === 201);
    expect(done.indexOf('other')).toBeLessThan(50);
  });

  test('is worked on beside those of another that never end, also in the queue they share', async () => {
    const greedy = serviceIdentity('organization');
    const other = serviceIdentity(organizationBeside('organization'));
    let end: () => void = () => undefined;
    const endless = new Promise<void>((resolve) => {
      end = resolve;
    });
    const done: string[] = [];
    streams.workOn(shop, 'paint', {
      concurrency: 2,
      handle: async (_identity, { name }: { name: string }) => {
        if (name === 'endless') await endless;
        done.push(name);
        return 'done';
      },
    });
    for (let index = 0; index < 5; index += 1)
      await streams.publishJob(shop, 'paint', greedy, { name: 'endless' });
    await streams.publishJob(shop, 'paint', other, { name: 'other' });
    await poll('the other is done', async () => done.length > 0);
    expect(done).toEqual(['other']);
    end();
    await poll('all are done', async () => done.length === 6);
  });

  test('that waits while another takes longer than the bus waits for a sign of life is delivered once', async () => {
    const turns: string[] = [];
    for (const name of ['first', 'second', 'third'])
      await streams.publishJob(shop, 'sign', identity, { name });
    streams.workOn(shop, 'sign', {
      concurrency: 1,
      handle: async (_identity, { name }: { name: string }) => {
        turns.push(name);
        await new Promise((resolve) => setTimeout(resolve, 1200));
        return 'done';
      },
    });
    await poll(
      'the queue is empty',
      async () => turns.length >= 3 && (await streams.backlog(shop, 'sign')) === 0,
    );
    expect(turns).toEqual(['first', 'second', 'third']);
  });
});

test('back-off doubles, stays under a minute, and never comes in step', () => {
  expect([1, 2, 3, 20].map((attempt) => backOffMs(attempt, 1))).toEqual([250, 500, 1000, 60_000]);
  expect([1, 2, 3, 20].map((attempt) => backOffMs(attempt, 0))).toEqual([125, 250, 500, 30_000]);
});
