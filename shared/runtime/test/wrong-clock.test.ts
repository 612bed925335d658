import { operation, question, service } from '@assay/contracts/define';
import { testConfigOfSecret } from '@assay/testing/config';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { connectBus } from '../bus/bus.ts';
import { createServiceClient } from '../http/client.ts';
import { keysOfSecret } from '../keys.ts';
import { createLog } from '../log.ts';
import { serviceIdentity } from '../signature.ts';
import { startServer } from './http/started-server.ts';

const things = z.object({ count: z.number() });
const contract = service({
  name: 'things',
  summary: 'Things',
  questions: { countThings: question({ payload: z.object({}), reply: things, summary: '' }) },
  operations: {
    readThings: operation({
      method: 'POST',
      path: '/internal/things',
      access: 'service',
      summary: 'Read them',
      body: z.object({}),
      reply: things,
      status: 200,
    }),
  },
});
const notAnswered = 'A part of the service does not answer at the moment.';
const log = createLog({ name: 'test', level: 'silent' });
const { NATS_URL: urls, SUBJECT_PREFIX: prefix, ASSAY_SECRET: secret } = testConfigOfSecret();
const keys = keysOfSecret(secret);

const hourMs = 3_600_000;
/** Signs what is sent next as a process does whose clock is an hour behind. */
function signLate(): void {
  vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now() - hourMs);
}
afterEach(() => {
  vi.restoreAllMocks();
});

test('a question whose signature is not taken, since a clock is wrong, is not answered at the moment', async () => {
  const bus = await connectBus({ urls, name: 'test', prefix, keys, log });
  onTestFinished(bus.drain);
  bus.answer(contract, { countThings: async () => ({ count: 1 }) });
  await bus.connection.flush();
  const ask = () => bus.asks(contract).things.countThings(serviceIdentity('o'), {});
  signLate();
  await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: notAnswered });
  expect(await ask()).toEqual({ count: 1 });
});

test('a call whose signature one process does not take goes to the next; one that none takes is not answered at the moment', async () => {
  const { url, close } = await startServer(
    contract,
    { readThings: async () => ({ count: 1 }) },
    keys,
  );
  onTestFinished(close);
  const readBy = (signing: typeof keys) => {
    const client = createServiceClient({ contract, urls: `${url},${url}`, keys: signing });
    onTestFinished(client.close);
    return client.readThings(serviceIdentity('o'), {});
  };
  signLate();
  expect(await readBy(keys)).toEqual({ count: 1 });
  await expect(readBy(keysOfSecret('y'.repeat(32)))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: notAnswered,
  });
});
