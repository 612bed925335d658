import { event, job, service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { type Bus, connectBus } from '@assay/runtime/bus';
import type { ServiceConfig } from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import { type Database, openDatabase } from '@assay/runtime/mongo';
import { createOutbox, type Outbox } from '@assay/runtime/outbox';
import { serviceIdentity } from '@assay/runtime/signature';
import { backOffMs, createStreams, on, type Streams } from '@assay/runtime/streams';
import { testConfig } from '@assay/testing/config';
import { dropDatabases } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const payload = z.object({ name: z.string() });
const shop = service({
  name: 'shop',
  summary: 'Announces sales',
  events: { sold: event({ summary: 'Something was sold', payload }) },
  jobs: {
    pack: job({ summary: 'Pack it', payload, attempts: 3, finishMs: 5000 }),
    send: job({ summary: 'Send it', payload, attempts: 3, finishMs: 500 }),
    sign: job({ summary: 'Sign it', payload, attempts: 3, finishMs: 500 }),
  },
});
const identity = serviceIdentity('organization');
const log = createLog({ name: 'test', level: 'silent' });

let config: ServiceConfig;
let database: Database;
let bus: Bus;
let streams: Streams;
let outbox: Outbox<typeof shop>;
const dead: { subject: string; reason: string; attempts: number; payload: string }[] = [];

beforeAll(async () => {
  config = testConfig();
  database = await openDatabase({ uri: config.MONGODB_URI, name: `${config.DATABASE_PREFIX}_shop` });
  bus = await connectBus({ urls: config.NATS_URL, name: 'test', prefix: config.SUBJECT_PREFIX, secret: config.ASSAY_SECRET, log });
  bus.hear(`${config.SUBJECT_PREFIX}.dead.>`, (letter) => dead.push(letter as (typeof dead)[number]));
  streams = createStreams({ bus, log });
  await streams.prepare();
  outbox = createOutbox({ contract: shop, database, bus, streams, log });
});

afterAll(async () => {
  await streams.stop();
  await outbox.stop();
  await bus.drain();
  await database.close();
  await dropDatabases(config.MONGODB_URI, config.DATABASE_PREFIX);
});

const announce = (name: string) => database.transaction(() => outbox.announce.sold(identity, { name }));
const letterAbout = (name: string) => poll('the dead letter', () => dead.find((letter) => letter.payload.includes(name)));

/** What a consumer of its own heard, in order. */
function consume(consumer: string, handle: (name: string) => Promise<void> = async () => undefined): string[] {
  const heard: string[] = [];
  const subscription = on(shop, 'sold', async (_identity, { name }) => {
    heard.push(name);
    await handle(name);
  });
  streams.consumeEvents(consumer, [subscription]);
  return heard;
}

describe('an event', () => {
  test('reaches each consumer once, also one that comes later, and leaves the outbox', async () => {
    const first = consume('first');
    await announce('early');
    await poll('the first consumer heard it', () => first.length === 1);
    const second = consume('second');
    await poll('the second consumer heard it', () => second.includes('early'));
    await poll('the outbox is empty', async () => (await database.collection('outbox').countDocuments()) === 0);
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
    await expect(outbox.announce.sold(identity, { name: 'x' })).rejects.toThrow('outside the transaction');
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
    expect(await letterAbout('refused')).toMatchObject({ reason: 'nobody sells that', attempts: 1 });
    expect(heard.filter((name) => name === 'refused')).toHaveLength(1);
  });

  test('that nobody signed becomes a dead letter, and is not handled', async () => {
    const heard = consume('careful');
    await streams.publishEvent({ service: 'shop', event: 'sold', eventId: 'forged', identity: 'e30.AAAA.x', payload: '{"name":"forged"}' });
    expect((await letterAbout('forged')).reason).toMatch(/not signed/);
    expect(heard).not.toContain('forged');
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

  test('that is put back comes again behind the others, and that is no attempt', async () => {
    const turns: { name: string; attempt: number }[] = [];
    streams.workOn(shop, 'send', {
      concurrency: 1,
      handle: async (_identity, { name }: { name: string }, { attempt }) => {
        turns.push({ name, attempt });
        return name === 'heavy' && turns.length < 8 ? 'put back' : 'done';
      },
    });
    await streams.publishJob(shop, 'send', identity, { name: 'heavy' });
    await streams.publishJob(shop, 'send', identity, { name: 'light' });
    await poll('the queue is empty', async () => turns.length >= 8 && (await streams.backlog(shop, 'send')) === 0);
    expect(turns.slice(0, 2).map(({ name }) => name)).toEqual(['heavy', 'light']);
    expect(turns.filter(({ name }) => name === 'heavy').every(({ attempt }) => attempt === 1)).toBe(true);
    expect(turns).toHaveLength(8);
  });

  test('that waits while another takes longer than the bus waits for a sign of life is delivered once', async () => {
    const turns: string[] = [];
    for (const name of ['first', 'second', 'third']) await streams.publishJob(shop, 'sign', identity, { name });
    streams.workOn(shop, 'sign', {
      concurrency: 1,
      handle: async (_identity, { name }: { name: string }) => {
        turns.push(name);
        await new Promise((resolve) => setTimeout(resolve, 1200));
        return 'done';
      },
    });
    await poll('the queue is empty', async () => turns.length >= 3 && (await streams.backlog(shop, 'sign')) === 0);
    expect(turns).toEqual(['first', 'second', 'third']);
  });
});

test('back-off doubles, stays under a minute, and never comes in step', () => {
  expect([1, 2, 3, 20].map((attempt) => backOffMs(attempt, 1))).toEqual([250, 500, 1000, 60_000]);
  expect([1, 2, 3, 20].map((attempt) => backOffMs(attempt, 0))).toEqual([125, 250, 500, 30_000]);
});
