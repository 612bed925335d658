import { event, job, question, service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { type Bus, connectBus } from '@assay/runtime/bus/bus';
import { createOutbox } from '@assay/runtime/bus/outbox';
import { createStreams, subscription } from '@assay/runtime/bus/streams';
import { measureBus, measureService } from '@assay/runtime/instruments';
import { createLog } from '@assay/runtime/log';
import { createMetrics } from '@assay/runtime/metrics';
import { openDatabase } from '@assay/runtime/mongo/database';
import { serviceIdentity } from '@assay/runtime/signature';
import { testConfigOfSecret } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { startTcpProxy } from '@assay/testing/tcp-proxy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { keysOfSecret } from '../keys.ts';

const payload = z.object({ name: z.string() });
const shop = service({
  name: 'shop',
  summary: 'Announces sales',
  events: { sold: event({ summary: 'Something was sold', payload }) },
  jobs: { pack: job({ summary: 'Pack it', payload, attempts: 1, finishMs: 5000 }) },
  questions: {
    price: question({ summary: 'What it costs', payload, reply: z.object({ euros: z.number() }) }),
  },
});
const identity = serviceIdentity('organization');
const log = createLog({ name: 'test', level: 'silent' });
const metrics = createMetrics({ service: 'shop', revision: 'unknown' });
const config = testConfigOfSecret();

let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
let opened: Awaited<ReturnType<typeof open>>;

/** A service whose way to NATS can be cut. */
async function open() {
  const nats = new URL(config.NATS_URL[0]!);
  proxy = await startTcpProxy(nats.href);
  const { MONGODB_URI: uri, DATABASE_PREFIX: databases, SUBJECT_PREFIX: prefix } = config;
  const database = await openDatabase({ uri, name: `${databases}_shop` });
  const bus: Bus = await connectBus({
    urls: [nats.href.replace(nats.host, `127.0.0.1:${proxy.port}`)],
    name: 'test',
    prefix,
    keys: keysOfSecret(config.ASSAY_SECRET),
    log,
  });
  const streams = createStreams({ bus, log });
  await streams.prepare();
  const outbox = createOutbox({ contract: shop, database, bus, streams, log });
  measureBus(bus, metrics);
  measureService({ contract: shop, database, streams, outbox }, metrics);
  bus.answer(shop, {
    price: async (_, { name }) => {
      if (name === 'nothing') throw new Failure('NOT_FOUND', 'There is no such thing.');
      return { euros: 3 };
    },
  });
  return { database, bus, streams, outbox };
}

beforeAll(async () => {
  opened = await open();
});
afterAll(async () => {
  proxy.heal();
  await opened.streams.stop();
  await opened.outbox.stop();
  await opened.bus.drain();
  await opened.database.close();
  await proxy.close();
  await dropData(config);
});

/** The value of a series by its labels; undefined where there is none. */
async function measured(name: string, labels: Record<string, string> = {}) {
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = lines.find((each) => wanted.every((part) => each.includes(part)));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

test('questions are counted by how they ended', async () => {
  const { price } = opened.bus.asks(shop).shop;
  await price(identity, { name: 'tea' });
  await expect(price(identity, { name: 'nothing' })).rejects.toThrow('There is no such thing.');
  const count = (outcome: string) =>
    measured('assay_questions_seconds_count', { question: 'shop.price', outcome });
  expect([await count('answered'), await count('refused'), await count('failed')]).toEqual([
    1,
    1,
    undefined,
  ]);
});

test('jobs that wait are counted, those that end by their outcome, and dead letters by their kind', async () => {
  const { streams } = opened;
  expect(await measured('assay_jobs_waiting', { job: 'pack' })).toBe(0);
  expect(await measured('assay_dead_letters_total', { subject_kind: 'job' })).toBe(0);
  for (const name of ['tea', 'glass']) await streams.publishJob(shop, 'pack', identity, { name });
  expect(await measured('assay_jobs_waiting', { job: 'pack' })).toBe(2);
  streams.workOn(shop, 'pack', {
    concurrency: 1,
    handle: async (_, { name }: { name: string }) => {
      if (name === 'glass') throw new Error('It broke.');
      return 'done';
    },
  });
  await poll(
    'both jobs have ended',
    async () => (await measured('assay_jobs_waiting', { job: 'pack' })) === 0,
  );
  const ended = (outcome: string) => measured('assay_job_seconds_count', { job: 'pack', outcome });
  expect([await ended('done'), await ended('failed')]).toEqual([1, 1]);
  expect(await measured('assay_dead_letters_total', { subject_kind: 'job' })).toBe(1);

  streams.consumeEvents('shelf', [
    subscription(shop, 'sold', async () => {
      throw new Failure('VALIDATION_ERROR', 'The shelf is full.');
    }),
  ]);
  await opened.database.transaction(() => opened.outbox.announce.sold(identity, { name: 'tea' }));
  await poll(
    'the event is a dead letter',
    async () => (await measured('assay_dead_letters_total', { subject_kind: 'event' })) === 1,
  );
});

test('without the bus the oldest event grows older, and questions fail; with it nothing waits', async () => {
  const { bus, database, outbox } = opened;
  await poll('nothing waits', async () => (await measured('assay_outbox_oldest_seconds')) === 0);
  proxy.disturb({ kind: 'refuse' });
  proxy.end('cut');
  await poll('the bus is away', () => !bus.isConnected());
  await database.transaction(() => outbox.announce.sold(identity, { name: 'tea' }));
  await poll('it waits', async () => ((await measured('assay_outbox_oldest_seconds')) ?? 0) > 0);
  await expect(bus.asks(shop).shop.price(identity, { name: 'tea' })).rejects.toThrow();
  expect(
    await measured('assay_questions_seconds_count', { question: 'shop.price', outcome: 'failed' }),
  ).toBe(1);
  expect(await measured('assay_jobs_waiting', { job: 'pack' })).toBeUndefined();
  proxy.heal();
  await poll('the bus is back', () => bus.isConnected());
  await poll('nothing waits', async () => (await measured('assay_outbox_oldest_seconds')) === 0);
});

test('commands that wait for a connection are counted', async () => {
  const { database } = opened;
  await poll('nothing waits', async () => (await measured('assay_mongo_pool_waiting')) === 0);
  const numbers = database.collection<{ _id: number }>('numbers');
  let number = 0;
  // More than there are connections: when the first is written, others wait for theirs.
  await poll('commands wait', async () => {
    const written = Array.from({ length: 200 }, () => numbers.insertOne({ _id: number++ }));
    await Promise.race(written);
    const waiting = database.waitingForConnection();
    await Promise.all(written);
    return waiting > 0;
  });
  await poll('nothing waits', async () => (await measured('assay_mongo_pool_waiting')) === 0);
});
