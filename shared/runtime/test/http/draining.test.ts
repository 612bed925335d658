import { question, service } from '@assay/contracts/define';
import { testConfigOfSecret } from '@assay/testing/config';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { connectBus } from '../../bus/bus.ts';
import { keysOfSecret } from '../../keys.ts';
import { createLog } from '../../log.ts';
import { serviceIdentity } from '../../signature.ts';

const echo = z.object({ text: z.string() });
const things = service({
  name: 'things',
  summary: '',
  questions: { slow: question({ payload: echo, reply: echo, summary: '' }) },
});

test('a question that a process took is answered before it ends, and later ones go to another', async () => {
  const { NATS_URL: urls, SUBJECT_PREFIX: prefix, ASSAY_SECRET: secret } = testConfigOfSecret();
  const connect = async (name: string) => {
    const bus = await connectBus({
      urls,
      name,
      prefix,
      keys: keysOfSecret(secret),
      log: createLog({ name, level: 'silent' }),
    });
    onTestFinished(bus.drain);
    return bus;
  };
  const [asker, stopping, other] = [
    await connect('asker'),
    await connect('stopping'),
    await connect('other'),
  ];
  const { promise: isTaken, resolve: taken } = withResolvers();
  const { promise: mayEnd, resolve: end } = withResolvers();
  stopping.answer(things, {
    slow: async (_identity, { text }) => {
      taken();
      await mayEnd;
      return { text: `late ${text}` };
    },
  });
  await stopping.connection.flush();
  const ask = (text: string) => asker.asks(things).things.slow(serviceIdentity(''), { text });
  const first = ask('first');
  await isTaken;
  other.answer(things, { slow: async (_identity, { text }) => ({ text: `other ${text}` }) });
  await other.connection.flush();
  const drained = stopping.drain();
  await stopping.connection.flush();
  expect(await ask('second')).toEqual({ text: 'other second' });
  end();
  await drained;
  expect(await first).toEqual({ text: 'late first' });
});

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
