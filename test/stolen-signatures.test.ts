import { randomUUID } from 'node:crypto';
import { start as startCatalog } from '@assay/catalog/service';
import { catalog } from '@assay/contracts/catalog';
import type { Identity } from '@assay/contracts/define';
import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { makeKey } from '@assay/runtime/api-key';
import { connectBus } from '@assay/runtime/bus/bus';
import { jobSubject } from '@assay/runtime/bus/job-queues';
import { storedHeaders } from '@assay/runtime/bus/sealed-messages';
import { createStreams } from '@assay/runtime/bus/streams';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { keysOfSecret, type ProcessKeys } from '@assay/runtime/keys';
import { createLog } from '@assay/runtime/log';
import {
  digestOf,
  identityHeader,
  operatorIdentity,
  sealIdentity,
  senderHeader,
  serviceIdentity,
} from '@assay/runtime/signature';
import { start as startTestcases } from '@assay/testcases/service';
import { keysOf } from '@assay/testing/keys';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSender } from './sealed-request.ts';

/** Somebody listens on the bus, and tries all that can be done with what is heard there. */
let world: World;
const heard: { subject: string; sealed: Record<string, string>; id: string; text: string }[] = [];
const dead: { subject: string; reason: string; payload: string }[] = [];
const keyHash = digestOf('a key that nobody has');

beforeAll(async () => {
  world = await startWorld({
    services: {
      identity: startIdentity,
      catalog: startCatalog,
      testcases: startTestcases,
      'run-records': startRunRecords,
    },
  });
  // No questions of services that do not run here: who listens is taken for one who answers.
  for (const subjects of ['question.identity.>', 'event.>', 'job.>'])
    world.bus.connection.subscribe(`${world.config.SUBJECT_PREFIX}.${subjects}`, {
      callback: (_error, message) => {
        const header = (name: string) => message.headers?.get(name) ?? '';
        heard.push({
          subject: message.subject,
          sealed: {
            [identityHeader]: header(identityHeader),
            [senderHeader]: header(senderHeader),
          },
          id: header('Nats-Msg-Id'),
          text: message.string(),
        });
      },
    });
  world.bus.subscribeInEveryProcess(`${world.config.SUBJECT_PREFIX}.dead.>`, (letter) =>
    dead.push(letter as (typeof dead)[number]),
  );
  await world.bus.connection.flush();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => world.stop());

/** The options of the bus of this process. */
const as = (process: string) => ({ ...world.bus.options, keys: keysOf(process) });

const subject = (kind: 'question' | 'event' | 'job', service: string, name: string) =>
  subjectOf(world.config.SUBJECT_PREFIX, kind, service, name);
const lastOn = (on: string) =>
  poll(`a message on ${on}`, () =>
    heard.findLast((message) => message.subject === on && message.sealed[identityHeader] !== ''),
  );

/** The headers of a question that a service asked in the name of all services. */
async function stealQuestion(): Promise<Record<string, string>> {
  await world.bus.asks(identity).identity.verifyKey(serviceIdentity(''), { keyHash });
  return (await lastOn(subject('question', 'identity', 'verifyKey'))).sealed;
}

/** An event as it was published. */
async function stealEvent() {
  const project = await newProject();
  await world.request('DELETE', `/projects/${project}`);
  const on = subject('event', 'catalog', 'projectDeleted');
  return poll('the event', () =>
    heard.find((message) => message.subject === on && message.text.includes(project)),
  );
}

const newProject = async (): Promise<string> =>
  (await world.request('POST', '/projects', { name: randomUUID(), description: '' })).body.id;

/** Those of a message of ours, with a stolen signature in place of its own. */
function headersOf(sealed: Record<string, string>, id = '') {
  const headers = storedHeaders(world.bus.options, {
    subject: '',
    id,
    identity: serviceIdentity(''),
    payload: '',
  });
  headers.delete(senderHeader);
  for (const [name, value] of Object.entries(sealed)) headers.set(name, value);
  return headers;
}

/** Asks as anyone on the bus can. */
async function ask(
  name: string,
  payload: object,
  sealed: Record<string, string>,
): Promise<unknown> {
  const headers = headersOf(sealed);
  const message = await world.bus.connection.request(
    subject('question', 'identity', name),
    JSON.stringify(payload),
    {
      headers,
      timeout: 10_000,
    },
  );
  return message.json();
}

const send = createSender(() => world.urls);

async function publish(
  on: string,
  payload: string,
  sealed: Record<string, string>,
  id: string,
): Promise<void> {
  await world.bus.connection.jetstream().publish(on, payload, { headers: headersOf(sealed, id) });
}

const refused = { code: 'UNAUTHORIZED' };
const judgements = JSON.stringify({ runId: randomUUID(), judgements: [] });

describe('a signature that was heard on a question', () => {
  test('asks no other question, and not the same one about something else', async () => {
    const sealed = await stealQuestion();
    expect(await ask('verifyKey', { keyHash }, sealed)).toEqual({ outcome: 'unknown' });
    for (const [name, payload] of [
      ['verifyKey', { keyHash: digestOf('another key') }],
      ['isMember', { keyHash }],
      ['listOrganizations', { keyHash }],
      [
        'createKey',
        {
          organizationId: world.identity.organizationId,
          name: 'x',
          role: 'admin',
          key: makeKey().kept,
        },
      ],
    ] as const)
      expect([name, await ask(name, payload, sealed)]).toMatchObject([name, refused]);
  });

  test('opens no operation over HTTP', async () => {
    const sealed = await stealQuestion();
    for (const [service, path, body] of [
      ['run-records', '/internal/judgements', judgements],
      ['identity', '/internal/verify-key', JSON.stringify({ keyHash })],
    ] as const)
      expect((await send(service, 'POST', path, sealed, body)).status).toBe(401);
    expect((await send('identity', 'GET', '/organization', sealed)).status).toBe(401);
  });

  test('makes no event and no job: what is published with it becomes a dead letter', async () => {
    const sealed = await stealQuestion();
    const projectId = await newProject();
    await publish(
      subject('event', 'catalog', 'projectDeleted'),
      JSON.stringify({ projectId }),
      sealed,
      randomUUID(),
    );
    const letter = await poll('the dead letter', () =>
      dead.find(({ payload }) => payload.includes(projectId)),
    );
    expect(letter.reason).toContain('not signed');
  });

  test('is refused half a minute later', async () => {
    const sealed = await stealQuestion();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect(await ask('verifyKey', { keyHash }, sealed)).toMatchObject(refused);
    vi.setSystemTime(Date.now() - 62_000);
    expect(await ask('verifyKey', { keyHash }, sealed)).toMatchObject(refused);
  });
});

describe('a signature that was heard on an event', () => {
  test('is good for no other event, payload or id, and opens nothing else, however long it lay there', async () => {
    const stolen = await stealEvent();
    const projectId = await newProject();
    const other = JSON.stringify({ projectId });
    await publish(stolen.subject, other, stolen.sealed, `${stolen.id}-1`);
    await publish(
      subject('event', 'catalog', 'testsetDeleted'),
      stolen.text,
      stolen.sealed,
      `${stolen.id}-2`,
    );
    await publish(stolen.subject, stolen.text, stolen.sealed, `${stolen.id}-3`);
    // Each becomes a letter of every service that hears the event.
    await poll('dead letters of the three', () => {
      const ofThese = dead.filter(({ payload }) => [other, stolen.text].includes(payload));
      return new Set(ofThese.map((letter) => `${letter.subject} ${letter.payload}`)).size === 3;
    });
    expect((await world.request('GET', `/projects/${projectId}`)).status).toBe(200);
    expect(await ask('verifyKey', JSON.parse(stolen.text), stolen.sealed)).toMatchObject(refused);
    expect(
      (await send('run-records', 'POST', '/internal/judgements', stolen.sealed, judgements)).status,
    ).toBe(401);
  });

  test('empties no cache: who hears events ignores it, as it ignores what is unsigned or no JSON, and goes on hearing', async () => {
    const { bus } = world;
    const stolen = await stealEvent();
    const on = subject('event', 'catalog', 'anything');
    const listened: unknown[] = [];
    bus.subscribeInEveryProcess(on, (payload) => {
      listened.push(payload);
      if (listened.length === 1) throw new Error('a listener with a mistake');
    });
    const good = (text: string) => {
      const headers = storedHeaders(as('catalog'), {
        subject: on,
        id: randomUUID(),
        identity: serviceIdentity(''),
        payload: text,
      });
      bus.connection.publish(on, text, { headers });
    };
    good('1');
    bus.connection.publish(on, 'no JSON');
    bus.connection.publish(on, '2');
    bus.connection.publish(on, stolen.text, { headers: headersOf(stolen.sealed, stolen.id) });
    good('{');
    good('3');
    await poll('the last one is heard', () => listened.includes(3));
    expect(listened).toEqual([1, 3]);
    expect(bus.isConnected() && !bus.connection.isClosed()).toBe(true);
  });
});

test('a flood of messages that nobody signed fills no log', async () => {
  const lines: string[] = [];
  const log = createLog({
    name: 'test',
    level: 'warn',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const { NATS_URL: urls, SUBJECT_PREFIX: prefix } = world.config;
  const bus = await connectBus({
    urls,
    name: 'flooded',
    prefix,
    keys: keysOf('run-records'),
    log,
  });
  const on = subject('event', 'catalog', 'flood');
  let isOver = false;
  bus.subscribeInEveryProcess(on, () => {
    isOver = true;
  });
  await bus.connection.flush();
  const startedAtMs = Date.now();
  for (let count = 0; count < 1000; count++) world.bus.connection.publish(on, '{}');
  const message = { subject: on, id: randomUUID(), identity: serviceIdentity(''), payload: '{}' };
  world.bus.connection.publish(on, message.payload, {
    headers: storedHeaders(as('catalog'), message),
  });
  await poll('the last one is heard', () => isOver);
  const ignored = lines.filter((line) => line.includes('a message was ignored'));
  expect(ignored.length).toBeGreaterThan(0);
  expect(ignored.length).toBeLessThanOrEqual(1 + (Date.now() - startedAtMs) / 1000);
  await bus.drain();
});

describe('a signature that was heard on a job', () => {
  test('is good for no other job, payload or id', async () => {
    const bus = { ...world.bus, options: as('scoring') };
    const streams = createStreams({ bus, log: bus.options.log });
    const { scoring } = await import('@assay/contracts/scoring');
    const worked: unknown[] = [];
    streams.workOn(scoring, 'scoreRecords', {
      concurrency: 1,
      handle: async (_identity, payload) => {
        worked.push(payload);
        return 'done';
      },
    });
    const job = { runId: randomUUID(), recordIds: [randomUUID()] };
    await streams.publishJob(scoring, 'scoreRecords', serviceIdentity('o'), job);
    const on = jobSubject(subject('job', 'scoring', 'scoreRecords'), 'o');
    const { sealed, id } = await lastOn(on);
    const other = JSON.stringify({ ...job, runId: randomUUID() });
    await publish(on, other, sealed, `${id}-2`);
    await publish(on, JSON.stringify(job), sealed, `${id}-3`);
    await poll(
      'two dead letters',
      () => dead.filter((letter) => letter.subject === on).length === 2,
    );
    expect(worked).toEqual([job]);
    expect(await ask('verifyKey', { keyHash }, sealed)).toMatchObject(refused);
    await streams.stop();
  });
});

describe('an answer on the bus', () => {
  test('that the service did not sign is not believed, whoever is quicker', async () => {
    // The real identity would answer about as quickly: here, nobody else does.
    const contract = { ...identity, name: 'systems' as const };
    const admin = {
      outcome: 'valid',
      organizationId: 'o',
      userId: 'u',
      apiKeyId: 'k',
      role: 'admin',
      expiresAtMs: null,
    };
    const impostor = world.bus.connection.subscribe(subject('question', 'systems', 'verifyKey'), {
      callback: (_error, message) => message.respond(JSON.stringify(admin)),
    });
    await expect(
      world.bus.asks(contract).systems.verifyKey(serviceIdentity(''), { keyHash }),
    ).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: expect.stringContaining('not signed') },
    });
    impostor.unsubscribe();
  });
});

describe("the operator's questions", () => {
  const listOrganizations = () => subject('question', 'identity', 'listOrganizations');
  const asRole = (
    as: Identity,
    keys: ProcessKeys,
    payload = '{}',
    on = listOrganizations(),
  ): Record<string, string> =>
    sealIdentity(keys, as, {
      act: { purpose: 'question', subject: on },
      digest: digestOf(payload),
      receiver: 'identity',
    });
  const operatorKeys = () => keysOfSecret(world.config.ASSAY_OPERATOR_SECRET);

  test('are refused to every process with keys, whatever role it claims', async () => {
    for (const as of [operatorIdentity, serviceIdentity('')])
      for (const name of ['gateway', 'identity', 'run-records'])
        expect(await ask('listOrganizations', {}, asRole(as, keysOf(name)))).toMatchObject(refused);
    expect(
      await ask('listOrganizations', {}, asRole(operatorIdentity, operatorKeys())),
    ).toMatchObject({
      organizations: [],
    });
  });

  test("are all that the operator's secret asks", async () => {
    const on = subject('question', 'identity', 'verifyKey');
    const payload = JSON.stringify({ keyHash });
    for (const as of [operatorIdentity, serviceIdentity('')])
      expect(
        await ask('verifyKey', { keyHash }, asRole(as, operatorKeys(), payload, on)),
      ).toMatchObject(refused);
    await expect(
      world.bus.asks(identity).identity.verifyKey(operatorIdentity, { keyHash }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(
      world.bus.asks(catalog).catalog.project(operatorIdentity, { projectId: 'p' } as never),
    ).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test('carry no key, and neither do their answers', async () => {
    const { key, kept } = makeKey();
    const before = heard.length;
    const { organization } = await world.bus
      .asks(identity)
      .identity.createOrganization(operatorIdentity, { name: 'Quiet', key: kept });
    const second = makeKey();
    await world.bus.asks(identity).identity.createKey(operatorIdentity, {
      organizationId: organization.id,
      name: 'second',
      role: 'admin',
      key: second.kept,
    });
    const said = heard.slice(before).map(({ text }) => text);
    expect(said.some((text) => text.includes(kept.keyHash))).toBe(true);
    for (const secret of [key, second.key])
      expect(said.some((text) => text.includes(secret.slice(10)))).toBe(false);
    expect(
      await world.bus
        .asks(identity)
        .identity.verifyKey(serviceIdentity(''), { keyHash: digestOf(key) }),
    ).toMatchObject({
      outcome: 'valid',
      organizationId: organization.id,
    });
  });
});
