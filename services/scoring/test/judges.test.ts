import { readdirSync, readFileSync } from 'node:fs';
import { readConfig } from '@assay/runtime/config';
import { describe, expect, test } from 'vitest';
import { judgeConfig } from '../src/config.ts';
import { createJudges } from '../src/judges.ts';
import { log, question, schema, startJudges, verdict } from './judges-setting.ts';
import { keys, say } from './mock-providers.ts';

const answerFine = () => say(verdict);

describe('each provider is asked in its own form', () => {
  const wires = [
    {
      model: 'gpt-4o',
      path: 'v1/chat/completions',
      key: { authorization: `Bearer ${keys.OPENAI_API_KEY}` },
      body: {
        model: 'gpt-4o',
        temperature: 0.5,
        seed: 7,
        response_format: { type: 'json_schema', json_schema: { schema, strict: true } },
        messages: [
          { role: 'system', content: 'You are a judge.' },
          { role: 'user', content: 'Is 4 right?' },
        ],
      },
      notes: [],
    },
    {
      model: 'anthropic/claude-sonnet-4-5',
      path: 'v1/messages',
      key: { 'x-api-key': keys.ANTHROPIC_API_KEY },
      body: {
        model: 'claude-sonnet-4-5',
        temperature: 0.5,
        output_config: { format: { type: 'json_schema', schema } },
        system: [{ type: 'text', text: 'You are a judge.' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Is 4 right?' }] }],
      },
      notes: ['seed was left out: the model does not take it'],
    },
    {
      model: 'anthropic/claude-3-haiku-20240307',
      path: 'v1/messages',
      key: { 'x-api-key': keys.ANTHROPIC_API_KEY },
      body: { tools: [{ name: 'json', input_schema: schema }], tool_choice: { type: 'any' } },
      notes: ['seed was left out: the model does not take it'],
    },
    {
      model: 'google/gemini-2.5-flash',
      path: 'v1beta/models/gemini-2.5-flash:generateContent',
      key: { 'x-goog-api-key': keys.GOOGLE_API_KEY },
      body: {
        systemInstruction: { parts: [{ text: 'You are a judge.' }] },
        contents: [{ role: 'user', parts: [{ text: 'Is 4 right?' }] }],
        generationConfig: {
          temperature: 0.5,
          seed: 7,
          responseMimeType: 'application/json',
          responseSchema: {
            type: 'object',
            required: schema.required,
            properties: schema.properties,
          },
        },
      },
      notes: [],
    },
    {
      model: 'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
      path: 'model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse',
      key: {
        authorization: expect.stringMatching(
          `AWS4-HMAC-SHA256 Credential=${keys.BEDROCK_ACCESS_KEY_ID}/\\d+/eu-central-1/bedrock/`,
        ),
      },
      body: {
        inferenceConfig: { temperature: 0.5 },
        additionalModelRequestFields: {
          output_config: { format: { type: 'json_schema', schema } },
        },
        system: [{ text: 'You are a judge.' }],
        messages: [{ role: 'user', content: [{ text: 'Is 4 right?' }] }],
      },
      notes: ['seed was left out: the model does not take it'],
    },
    {
      model: 'bedrock/amazon.nova-lite-v1:0',
      path: 'model/amazon.nova-lite-v1%3A0/converse',
      key: {},
      body: {
        toolConfig: { tools: [{ toolSpec: { name: 'json', inputSchema: { json: schema } } }] },
      },
      notes: ['seed was left out: the model does not take it'],
    },
    {
      model: 'compatible/org/small-model',
      path: 'v1/chat/completions',
      key: { authorization: `Bearer ${keys.COMPATIBLE_API_KEY}` },
      body: {
        model: 'org/small-model',
        temperature: 0.5,
        seed: 7,
        response_format: { type: 'json_schema', json_schema: { schema } },
      },
      notes: [],
    },
  ];

  test.each(wires)(
    '$model is sent its key, the schema and the temperature, and its answer is taken',
    async ({ model, path, key, body, notes }) => {
      const { judges, mock } = await startJudges({ answer: answerFine });
      const asked = await judges.ask({ ...question(model), temperature: 0.5, seed: 7 });
      expect(asked).toMatchObject({
        ok: true,
        answer: verdict,
        temperature: 0.5,
        attempts: 1,
        notes,
      });
      expect(asked.usage).toMatchObject({ inputTokens: 12, outputTokens: 7 });
      expect(mock.calls).toHaveLength(1);
      expect(mock.calls[0]).toMatchObject({ path, headers: key, body });
    },
  );

  test('a local server without a key is sent none', async () => {
    const { judges, mock } = await startJudges({
      answer: answerFine,
      environment: { COMPATIBLE_API_KEY: undefined },
    });
    expect(await judges.ask(question('compatible/m'))).toMatchObject({ ok: true });
    expect(mock.calls[0]!.headers.authorization).toBeUndefined();
  });

  test('bounds of numbers are not sent, since not every provider takes them, and hold all the same', async () => {
    const bounded = {
      ...schema,
      properties: { ...schema.properties, binaryScore: { type: 'number', minimum: 0, maximum: 1 } },
    };
    const { judges, mock } = await startJudges({
      answer: () => say({ ...verdict, binaryScore: 1.5 }),
    });
    const asked = await judges.ask({ ...question('gpt-4o'), schema: bounded });
    expect(mock.calls[0]!.body.response_format.json_schema.schema.properties.binaryScore).toEqual({
      type: 'number',
    });
    expect(asked).toMatchObject({
      ok: false,
      code: 'invalid_answer',
      message: expect.stringContaining('must be <= 1'),
    });
  });
});

describe('what a model does not take', () => {
  const refuse = (message: string) => ({
    status: 400,
    body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
  });

  test('is left out, asked for once, remembered for this model, and noted', async () => {
    const { judges, mock } = await startJudges({
      answer: ({ body }) => {
        if (body.temperature !== undefined)
          return refuse("Unsupported value: 'temperature' does not support 0 with this model.");
        if (body.seed !== undefined) return refuse('Unknown parameter: seed');
        return body.response_format
          ? refuse("'response_format' of type 'json_schema' is not supported")
          : say(verdict);
      },
    });
    const notes = ['temperature', 'seed', 'schema'].map(
      (name) => `${name} was left out: the model does not take it`,
    );
    const ask = () => judges.ask({ ...question('compatible/m'), seed: 1 });
    expect(await ask()).toMatchObject({ ok: true, attempts: 4, temperature: null, notes });
    expect(await ask()).toMatchObject({ ok: true, attempts: 1, temperature: null, notes });
    expect(mock.calls).toHaveLength(5);
    await judges.ask(question('compatible/other'));
    expect(mock.calls[5]!.body.temperature).toBe(0);
  });

  test('and what the library knows it does not take is noted too', async () => {
    const { judges, mock } = await startJudges({ answer: answerFine });
    expect(await judges.ask(question('gpt-5'))).toMatchObject({
      temperature: null,
      notes: ['temperature was left out: the model does not take it'],
    });
    expect(mock.calls[0]!.body).not.toHaveProperty('temperature');
  });

  test('a temperature above the highest that a provider takes is lowered, and noted', async () => {
    const { judges, mock } = await startJudges({ answer: answerFine });
    expect(
      await judges.ask({ ...question('anthropic/claude-sonnet-4-5'), temperature: 1.5 }),
    ).toMatchObject({
      temperature: 1,
      notes: ['temperature was lowered to 1, the highest that is taken'],
    });
    expect(mock.calls[0]!.body.temperature).toBe(1);
  });
});

describe('without a provider', () => {
  const judges = createJudges({ config: readConfig(judgeConfig, {}), log });

  test.each([
    ['gpt-4o', 'set OPENAI_API_KEY for'],
    ['anthropic/claude-sonnet-4-5', 'set ANTHROPIC_API_KEY for'],
    ['google/gemini-2.5-flash', 'set GOOGLE_API_KEY for'],
    [
      'bedrock/amazon.nova-lite-v1:0',
      'set BEDROCK_REGION, BEDROCK_ACCESS_KEY_ID, BEDROCK_SECRET_ACCESS_KEY for',
    ],
    ['compatible/m', 'set COMPATIBLE_BASE_URL for'],
    [
      'elsewhere/m',
      'belongs to no provider: names begin with openai/, anthropic/, google/, bedrock/, compatible/, or are OpenAI',
    ],
  ])('%s fails with no_provider, and a sentence that helps', async (model, sentence) => {
    const asked = await judges.ask(question(model));
    expect(asked).toMatchObject({
      ok: false,
      code: 'no_provider',
      message: expect.stringContaining(sentence),
    });
    expect(asked).toMatchObject({ message: expect.stringContaining(model) });
  });

  test('a name tells its provider, whether that is configured, and whether its price is known', () => {
    expect(judges.describe('gpt-4o')).toMatchObject({
      provider: 'openai',
      isConfigured: false,
      hasPrice: true,
    });
    expect(judges.describe('google/models/gemini-2.5-pro')).toMatchObject({ hasPrice: true });
    expect(judges.describe('elsewhere/m')).toMatchObject({
      provider: null,
      isConfigured: false,
      hasPrice: false,
    });
    const local = createJudges({
      config: readConfig(judgeConfig, { COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' }),
      log,
    });
    expect(local.describe('compatible/m')).toMatchObject({
      provider: 'compatible',
      isConfigured: true,
      hasPrice: false,
    });
  });

  test('the catalogue has every provider with its models and prices, and no secret', async () => {
    const { judges, mock } = await startJudges({ answer: answerFine });
    const catalogue = judges.catalogue();
    expect(catalogue.map(({ provider, isConfigured }) => [provider, isConfigured])).toEqual(
      ['openai', 'anthropic', 'google', 'bedrock', 'compatible'].map((provider) => [
        provider,
        true,
      ]),
    );
    expect(catalogue[0]!.models).toContainEqual({
      model: 'gpt-4o',
      inputUsdPerMillion: 2.5,
      outputUsdPerMillion: 10,
    });
    for (const key of Object.values(keys)) expect(JSON.stringify(catalogue)).not.toContain(key);
    expect(mock.calls).toHaveLength(0);
  });
});

describe('the configuration', () => {
  test.each([
    [{ OPENAI_BASE_URL: 'api.openai.com' }, 'OPENAI_BASE_URL must be a base URL'],
    [{ COMPATIBLE_BASE_URL: 'http://user:pass@host/v1' }, 'without credentials'],
    [{ ANTHROPIC_API_KEY: 'two words' }, 'ANTHROPIC_API_KEY must be printable ASCII'],
    [{ JUDGE_ALLOWED_HOSTS: 'https://a/b' }, 'JUDGE_ALLOWED_HOSTS must be hosts'],
    [{ JUDGE_CONCURRENCY: '0' }, 'JUDGE_CONCURRENCY'],
    [{ JUDGE_TIMEOUT_MS: 'soon' }, 'JUDGE_TIMEOUT_MS'],
    [{ JUDGE_PRICES: '{' }, 'JUDGE_PRICES must be JSON like'],
    [
      { JUDGE_PRICES: '{"m":{"inputUsdPerMillion":-1,"outputUsdPerMillion":1}}' },
      'JUDGE_PRICES must be JSON like',
    ],
  ])('%j is refused with a sentence', (environment, sentence) => {
    expect(() => readConfig(judgeConfig, environment)).toThrow(sentence);
  });

  test('what was read once can be read again', () => {
    const config = readConfig(judgeConfig, {
      JUDGE_PRICES: '{"m":{"inputUsdPerMillion":1,"outputUsdPerMillion":2}}',
      ...keys,
    });
    expect(readConfig(judgeConfig, config as never)).toEqual(config);
  });
});

test('no library of a provider is loaded before its first ask', () => {
  const folder = new URL('../src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files).toContain('judges/providers.ts');
  for (const file of files) {
    const imports = readFileSync(new URL(file, folder), 'utf8').matchAll(
      /^import (?!type\b)[^;]*? from '([^']+)';/gm,
    );
    for (const [, from] of imports) expect(`${file}: ${from}`).not.toMatch(/: (@ai-sdk\/|ajv)/);
  }
});
