import { event, job, service } from '@assay/contracts/define';
import { connectBus } from '@assay/runtime/bus/bus';
import { createOutbox } from '@assay/runtime/bus/outbox';
import { createStreams, subscription } from '@assay/runtime/bus/streams';
import type { ServiceConfig } from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import { openDatabase } from '@assay/runtime/mongo/database';
import { serviceIdentity } from '@assay/runtime/signature';
import { testConfigOfSecret } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { keysOfSecret } from '../../keys.ts';

const payload = z.object({ name: z.string() });
const shop = service({
  name: 'shop',
  summary: 'Announces sales',
  events: { sold: event({ summary: 'Something was sold', payload }) },
  jobs: { pack: job({ summary: 'Pack it', payload, attempts: 3, finishMs: 5000 }) },
});
const identity = serviceIdentity('organization');
const log = createLog({ name: 'test', level: 'silent' });

/** A bus of its own whose streams may take so much, with an outbox and jobs. */
async function openFull(bytesMax: number) {
  const own = { ...testConfigOfSecret(), NATS_STREAM_BYTES_MAX: bytesMax };
  const name = `${own.DATABASE_PREFIX}_shop`;
  const database = await openDatabase({ uri: own.MONGODB_URI, name });
  const connect = (nats: ServiceConfig) =>
    connectBus({
      urls: own.NATS_URL,
      nats,
      name: 'full',
      prefix: own.SUBJECT_PREFIX,
      keys: keysOfSecret(own.ASSAY_SECRET),
      log,
    });
  const bus = await connect(own);
  const streams = createStreams({ bus, log });
  await streams.prepare();
  const outbox = createOutbox({ contract: shop, database, bus, streams, log });
  const undo = [streams.stop, outbox.stop];
  const upper = own.SUBJECT_PREFIX.toUpperCase();
  const manager = await bus.connection.jetstreamManager();
  onTestFinished(async () => {
    for (const step of undo) await step();
    await bus.drain();
    await database.close();
    await dropData(own);
  });
  return {
    streams,
    /** A payload of a tenth of a MiB. */
    announce: (name: string) =>
      database.transaction(() =>
        outbox.announce.sold(identity, { name: name.padEnd(100_000, '.') }),
      ),
    waiting: () => database.collection('outbox').countDocuments(),
    stateOf: async (stream: string) => (await manager.streams.info(`${upper}-${stream}`)).state,
    consume: () => {
      const heard: string[] = [];
      streams.consumeEvents('full', [
        subscription(shop, 'sold', async (_identity, { name }) => {
          heard.push(name.replace(/\.+$/, ''));
        }),
      ]);
      return heard;
    },
    /** As another process does that is started with more. */
    async enlarge(bytesMax: number) {
      const larger = await connect({ ...own, NATS_STREAM_BYTES_MAX: bytesMax });
      await createStreams({ bus: larger, log }).prepare();
      await larger.drain();
    },
  };
}

describe('a full stream', () => {
  const mebibyte = 1024 ** 2;
  const names = Array.from({ length: 15 }, (_, index) => `full-${index}`);

  test('gives up no event: new ones wait in the outbox, and go on in their order when there is room', async () => {
    const { announce, waiting, stateOf, consume, enlarge } = await openFull(mebibyte);
    for (const name of names) await announce(name);
    await poll('it is full', async () => (await stateOf('EVENTS')).messages >= 9);
    expect(await waiting()).toBeGreaterThan(0);
    expect(await stateOf('EVENTS')).toMatchObject({ first_seq: 1 });
    await enlarge(4 * mebibyte);
    await poll('the outbox is empty', async () => (await waiting()) === 0);
    const heard = consume();
    await poll('all are heard', () => heard.length === names.length);
    expect(heard.toSorted()).toEqual(names.toSorted());
    expect(await stateOf('EVENTS')).toMatchObject({ first_seq: 1, messages: names.length });
  });

  test('of events makes room by those that all its consumers have acknowledged', async () => {
    const { announce, waiting, consume } = await openFull(mebibyte);
    const heard = consume();
    for (const name of names) await announce(name);
    await poll('all are heard', () => heard.length === names.length);
    await poll('the outbox is empty', async () => (await waiting()) === 0);
    expect(heard.toSorted()).toEqual(names.toSorted());
  });

  test('of jobs refuses the next one, and keeps those that wait', async () => {
    const { streams, stateOf } = await openFull(mebibyte);
    const publish = (name: string) =>
      streams.publishJob(shop, 'pack', identity, { name: name.padEnd(100_000, '.') });
    const publishing = names.reduce(
      (before, name) => before.then(() => publish(name)),
      Promise.resolve(),
    );
    await expect(publishing).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: 'a stream of NATS is full: raise NATS_STREAM_BYTES_MAX' },
    });
    const { first_seq, messages } = await stateOf('JOBS-shop-pack');
    expect([first_seq, messages]).toEqual([1, expect.any(Number)]);
    expect(messages).toBeGreaterThan(5);
  });
});
