import { event, job, service } from '@assay/contracts/define';
import { connectBus } from '@assay/runtime/bus/bus';
import { createStreams } from '@assay/runtime/bus/streams';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { serviceIdentity } from '@assay/runtime/signature';
import { testConfigOfSecret } from '@assay/testing/config';
import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createOrganizationMessages } from '../../bus/organization-messages.ts';
import { keysOfSecret } from '../../keys.ts';

const contract = service({
  name: 'keeper',
  summary: 'Keeps things',
  events: {
    thingMade: event({ summary: 'A thing', payload: z.object({ n: z.number() }) }),
  },
  jobs: {
    makeThing: job({
      summary: 'Make it',
      payload: z.object({ n: z.number() }),
      attempts: 1,
      finishMs: 30_000,
    }),
    breakThing: job({
      summary: 'Break it',
      payload: z.object({ n: z.number() }),
      attempts: 1,
      finishMs: 30_000,
    }),
  },
});

test("an organization's events, jobs and dead letters are counted and erased, and those of others stay", async () => {
  const config = testConfigOfSecret();
  const log = createLog({ name: 'test', level: 'silent' });
  const bus = await connectBus({
    urls: config.NATS_URL,
    name: 'test',
    prefix: config.SUBJECT_PREFIX,
    keys: keysOfSecret(config.ASSAY_SECRET),
    log,
  });
  const streams = createStreams({ bus, log });
  await streams.prepare();
  const messages = createOrganizationMessages({ bus, contract });
  expect(await messages.count('a')).toBe(0);
  streams.workOn(contract, 'breakThing', {
    concurrency: 1,
    handle: () => Promise.reject(new Error('broken')),
  });
  for (const organizationId of ['a', 'b']) {
    const identity = serviceIdentity(organizationId);
    for (const n of [1, 2]) {
      await streams.publishEvent({
        service: 'keeper',
        event: 'thingMade',
        eventId: newId(),
        identity,
        payload: JSON.stringify({ n }),
      });
      await streams.publishJob(contract, 'makeThing', identity, { n });
    }
    await streams.publishJob(contract, 'breakThing', identity, { n: 0 });
  }
  const counts = async () => [await messages.count('a'), await messages.count('b')];
  await poll(
    'the broken ones are dead',
    async () => (await streams.backlog(contract, 'breakThing')) === 0,
  );
  expect(await counts()).toEqual([5, 5]);
  await messages.erase('a');
  expect(await counts()).toEqual([0, 5]);
  await streams.stop();
  await bus.drain();
});
