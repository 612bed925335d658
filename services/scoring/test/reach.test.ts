import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { createLookup, type Resolve } from '../src/judges/addresses.ts';
import { createGuardedFetch } from '../src/judges/guarded-fetch.ts';
import { question, startJudges, verdict } from './judges-setting.ts';
import { type Call, keys, type Reply, say, startMockProviders } from './mock-providers.ts';

/**
 * A name server that knows these names, each with the addresses that it gives one time after the
 * other.
 */
const names = (known: Record<string, string[][]>): Resolve =>
  ((
    name: string,
    _options: LookupAllOptions,
    callback: (error: Error | null, addresses: LookupAddress[]) => void,
  ) => {
    const given = known[name]!;
    const addresses = given.length > 1 ? given.shift()! : given[0]!;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as Resolve;

/** Judges whose compatible provider is at `http://judge.example`, at the mock's port. */
async function startAt(
  addresses: string[][],
  environment: Record<string, string> = {},
  host = 'judge.example',
) {
  const port = await startMockProviders(() => say(verdict)).then(async (mock) => {
    await mock.stop();
    return mock.port;
  });
  return startJudges({
    answer: () => say(verdict),
    port,
    environment: { COMPATIBLE_BASE_URL: `http://${host}:${port}/compatible/v1`, ...environment },
    resolve: names({ [host]: addresses }),
  });
}

describe('a judge at a name', () => {
  test.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['172.16.0.1'],
    ['192.168.1.1'],
    ['100.64.0.1'],
    ['::1'],
    ['fd00::1'],
    ['::ffff:127.0.0.1'],
  ])(
    'with the private address %s is sent nothing, and the failure names the variable that allows it',
    async (address) => {
      const { judges, mock } = await startAt([[address]]);
      expect(await judges.ask(question('compatible/m'))).toMatchObject({
        ok: false,
        code: 'provider_error',
        message: `The host judge.example has the private address ${address}: name it in JUDGE_PRIVATE_HOSTS if judges may be asked there.`,
      });
      expect(mock.calls).toHaveLength(0);
    },
  );

  test('with a private address is asked where the operator allows it by its name', async () => {
    const { judges } = await startAt([['127.0.0.1']], {
      JUDGE_PRIVATE_HOSTS: 'other.example, Judge.example',
    });
    expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
  });

  test.each(['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '0.0.0.0', '::ffff:169.254.169.254'])(
    'with the address %s of metadata, a link or nothing is never asked, though the name is allowed',
    async (address) => {
      const { judges, mock } = await startAt([[address]], { JUDGE_PRIVATE_HOSTS: 'judge.example' });
      const message = `The host judge.example has the address ${address}, at which no judge is asked.`;
      expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: false, message });
      expect(mock.calls).toHaveLength(0);
    },
  );

  test('with one private address among public ones is sent nothing', async () => {
    const { judges, mock } = await startAt([['93.184.215.14', '127.0.0.1']]);
    expect(await judges.ask(question('compatible/m'))).toMatchObject({
      ok: false,
      message: expect.stringContaining('127.0.0.1'),
    });
    expect(mock.calls).toHaveLength(0);
  });

  test('is connected to at the address that was looked at, whatever the name leads to afterwards', async () => {
    const { judges } = await startAt([['127.0.0.1'], ['169.254.169.254']], {
      JUDGE_PRIVATE_HOSTS: 'judge.example',
    });
    expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
  });
});

test('a judge at an address or at localhost is asked: the operator named it', async () => {
  const { judges } = await startJudges({ answer: () => say(verdict) });
  expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
  const local = await startAt([['127.0.0.1']], {}, 'localhost');
  expect(await local.judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
});

describe("a model's name", () => {
  test.each([
    'google/../../internal/admin?x=',
    'google/a/../../../metadata/x#',
    'google/%2e%2e/%2e%2e/secret?',
    'google/files/x',
    'google/models/x/y',
    'compatible/a//b',
    'compatible/./b',
    'bedrock/..',
    'compatible/mödel',
  ])('%s, kept from before there were rules for names, fails without a request', async (model) => {
    const { judges, mock } = await startJudges({ answer: () => say(verdict) });
    expect(await judges.ask(question(model))).toMatchObject({
      ok: false,
      code: 'no_provider',
      message: expect.stringContaining(`The model's name ${model} must `),
      attempts: 0,
    });
    expect(mock.calls).toHaveLength(0);
  });

  test.each([
    ['google/models/gemini-2.5-flash', 'v1beta/models/gemini-2.5-flash:generateContent'],
    ['google/tunedModels/ours', 'v1beta/tunedModels/ours:generateContent'],
    ['compatible/meta-llama/Llama-3.1-8B', 'v1/chat/completions'],
    [
      'bedrock/arn:aws:bedrock:eu-central-1:1:inference-profile/eu.amazon.nova-lite-v1:0',
      undefined,
    ],
  ])('%s is asked at the path of its provider', async (model, path) => {
    const { judges, mock } = await startJudges({ answer: () => say(verdict) });
    expect(await judges.ask(question(model))).toMatchObject({ ok: true });
    if (path) expect(mock.calls[0]!.path).toBe(path);
  });
});

test.each([
  '/google/v1beta/../internal',
  '/google/v1beta/models/%2e%2E/x',
  '/google/v1beta\\..\\x',
  '/google/v1beta/models/x?key=1',
  '/google/v1beta/models/x#y',
  '/google/v1betamax/x',
  '/internal/admin',
])('a URL that leaves the base URL of its provider is not requested: %s', async (path) => {
  const mock = await startMockProviders(() => say(verdict));
  const base = `http://127.0.0.1:${mock.port}`;
  const guarded = createGuardedFetch({
    hosts: new Set([`127.0.0.1:${mock.port}`]),
    baseUrls: [`${base}/google/v1beta`],
    lookup: createLookup({ privateHosts: new Set() }),
  });
  await expect(guarded.fetch(`${base}${path}`, { method: 'POST', body: '{}' })).rejects.toThrow(
    'below the base URL',
  );
  expect(
    (await guarded.fetch(`${base}/google/v1beta/models/x`, { method: 'POST', body: '{}' })).status,
  ).toBe(200);
  expect(mock.calls).toHaveLength(1);
  await guarded.close();
  await mock.stop();
});

test.each<[string, (key: string) => string]>([
  ['in base64', (key) => Buffer.from(`Bearer ${key}`).toString('base64')],
  ['in base64 after another byte', (key) => Buffer.from(`x Bearer ${key} y`).toString('base64')],
  ['in base64 of URLs', (key) => Buffer.from(`user:${key}`).toString('base64url')],
  ['in a URL', (key) => encodeURIComponent(key)],
])('a key that the provider shows %s never comes out in a message', async (_, encode) => {
  const key = `${keys.OPENAI_API_KEY}/+?secret`;
  const echo = ({ headers }: Call): Reply => ({
    status: 401,
    body: JSON.stringify({
      error: { message: `No such key: ${encode(headers.authorization!.slice('Bearer '.length))}` },
    }),
  });
  const { judges } = await startJudges({ answer: echo, environment: { OPENAI_API_KEY: key } });
  const { message } = (await judges.ask(question('gpt-4o'))) as { message: string };
  expect(message).toContain('[removed]');
  const middle = encode(key).slice(12, 24);
  expect(message).not.toContain(middle);
});

describe('JUDGE_MODELS', () => {
  const environment = { JUDGE_MODELS: 'gpt-4o-mini, compatible/*' };

  test('lets the models that it names be asked, and no other', async () => {
    const { judges, mock } = await startJudges({ answer: () => say(verdict), environment });
    for (const model of ['gpt-4o-mini', 'openai/gpt-4o-mini', 'compatible/any/of-them'])
      expect(await judges.ask(question(model))).toMatchObject({ ok: true });
    for (const model of ['gpt-4o', 'anthropic/claude-haiku-4-5'])
      expect(await judges.ask(question(model))).toMatchObject({
        code: 'no_provider',
        message: `The model ${model} may not be asked here: JUDGE_MODELS allows gpt-4o-mini, compatible/*.`,
      });
    expect(mock.calls).toHaveLength(3);
  });

  test('is told with each model, and keeps the others out of the list', async () => {
    const { judges } = await startJudges({ answer: () => say(verdict), environment });
    expect(judges.describe('gpt-4o')).toMatchObject({
      isAllowed: false,
      allowedModels: environment.JUDGE_MODELS,
    });
    expect(judges.describe('gpt-4o-mini')).toMatchObject({ isAllowed: true });
    expect(judges.catalogue().flatMap(({ models }) => models.map(({ model }) => model))).toEqual([
      'gpt-4o-mini',
    ]);
  });
});
