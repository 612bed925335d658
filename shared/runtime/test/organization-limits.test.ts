import { event, type Identity, question, service } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { type Bus, connectBus } from '@assay/runtime/bus/bus';
import { storedHeaders } from '@assay/runtime/bus/sealed-messages';
import { subjectOf } from '@assay/runtime/bus/subjects';
import type { ProcessConfig } from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { createOrganizationLimits } from '@assay/runtime/organization-limits';
import { serviceIdentity } from '@assay/runtime/signature';
import { testConfigOfSecret } from '@assay/testing/config';
import { poll } from '@assay/testing/poll';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { keysOfSecret } from '../keys.ts';

const keeper = service({
  name: 'keeper',
  summary: 'Keeps limits',
  questions: {
    ownLimits: question({
      summary: 'The limits',
      payload: z.object({}),
      reply: z.object({ applesMax: z.number().optional() }),
      timeoutMs: 1000,
    }),
  },
  events: {
    limitsChanged: event({
      summary: 'A limit is another',
      payload: z.object({ organizationId: z.string() }),
    }),
  },
});

/** Of the installation. */
const applesMax = 7;

let config: ProcessConfig;
let bus: Bus;
let answering: Bus;
let answer: (identity: Identity) => Promise<{ applesMax?: number }>;
let asked: string[];
/** Ends answers that are held back. */
let release: ((limits: { applesMax?: number }) => void)[];
let now: number;
beforeEach(async () => {
  config = testConfigOfSecret();
  asked = [];
  release = [];
  now = 1_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  answer = async () => ({});
  bus = await connect();
  answering = await connect();
  answering.answer(keeper, {
    ownLimits: (identity) => {
      asked.push(identity.organizationId);
      return answer(identity);
    },
  });
  await answering.connection.flush();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of release) end({});
  await bus.drain();
  await answering.drain();
});

const connect = () =>
  connectBus({
    urls: config.NATS_URL,
    name: 'test',
    prefix: config.SUBJECT_PREFIX,
    keys: keysOfSecret(config.ASSAY_SECRET!),
    log: createLog({ name: 'test', level: 'silent' }),
  });

const held = () => new Promise<{ applesMax?: number }>((resolve) => void release.push(resolve));

const createLimit = () => createOrganizationLimits({ bus, keeper })('applesMax', applesMax);

/** As the outbox of the keeper does. */
function announce(organizationId: string): void {
  const message = {
    subject: subjectOf(config.SUBJECT_PREFIX, 'event', 'keeper', 'limitsChanged'),
    id: newId(),
    identity: serviceIdentity(organizationId),
    payload: JSON.stringify({ organizationId }),
  };
  answering.connection.publish(message.subject, message.payload, {
    headers: storedHeaders(answering.options, message),
  });
}

test("an organization's own limit holds in place of the installation's, and is asked for once", async () => {
  answer = async ({ organizationId }) => (organizationId === 'a' ? { applesMax: 3 } : {});
  const limit = createLimit();
  expect(await Promise.all([limit.of('a'), limit.of('a'), limit.of('b')])).toEqual([3, 3, 7]);
  expect(limit.of('a')).toBe(3);
  expect(asked.toSorted()).toEqual(['a', 'b']);
});

test('a limit of nothing is one', async () => {
  answer = async () => ({ applesMax: 0 });
  expect(await createLimit().of('a')).toBe(0);
});

test('a change that is announced counts at once', async () => {
  const limit = createLimit();
  expect(await limit.of('a')).toBe(7);
  answer = async () => ({ applesMax: 2 });
  announce('a');
  await poll('the change is heard', async () => (await limit.of('a')) === 2);
});

test('an answer that was on its way when a change was announced is not kept', async () => {
  answer = held;
  const limit = createLimit();
  const old = limit.of('a');
  await poll('the keeper is asked', () => asked.length === 1);
  answer = async () => ({ applesMax: 2 });
  announce('a');
  await poll('the change is heard', () => limit.now('a') === 2);
  release[0]!({ applesMax: 9 });
  expect(await old).toBe(9);
  expect(limit.of('a')).toBe(2);
});

test('a change whose announcement is lost counts within ten seconds, also where nobody came meanwhile', async () => {
  const limit = createLimit();
  await limit.of('a');
  answer = async () => ({ applesMax: 2 });
  now += 4999;
  expect(limit.of('a')).toBe(7);
  expect(asked.length).toBe(1);
  now += 1;
  expect(limit.of('a')).toBe(7);
  await poll('it is asked for beside', async () => (await limit.of('a')) === 2);
  answer = async () => ({ applesMax: 1 });
  now += 10_000;
  expect(await limit.of('a')).toBe(1);
});

test.each([
  ['refuses', () => Promise.reject(new Failure('INTERNAL_ERROR', 'no'))],
  ['says nothing', held],
])(
  "where the keeper %s, the last known limit holds, or else the installation's",
  async (_what, broken) => {
    answer = async () => ({ applesMax: 2 });
    const limit = createLimit();
    expect(await limit.of('a')).toBe(2);
    answer = broken;
    now += 60_000;
    expect([await limit.of('a'), await limit.of('b')]).toEqual([2, 7]);
    // Nobody waits again for the next five seconds.
    expect([limit.of('a'), limit.of('b'), limit.now('b')]).toEqual([2, 7, 7]);
    answer = async () => ({ applesMax: 5 });
    now += 10_000;
    expect(await limit.of('a')).toBe(5);
  },
);

test('what cannot wait goes by what is known, and the next one by the answer', async () => {
  answer = async () => ({ applesMax: 3 });
  const limit = createLimit();
  expect(limit.now('a')).toBe(7);
  await poll('the answer is there', () => limit.now('a') === 3);
  now += 60_000;
  answer = async () => ({ applesMax: 4 });
  expect(limit.now('a')).toBe(3);
  await poll('the answer is there', () => limit.now('a') === 4);
});
