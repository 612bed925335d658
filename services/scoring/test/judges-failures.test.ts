import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import { question, startJudges, verdict } from './judges-setting.ts';
import { type Call, keys, type Reply, say } from './mock-providers.ts';

function failTimes(count: number, reply: Reply) {
  let failed = 0;
  return () => (failed++ < count ? reply : say(verdict));
}

describe('a provider that fails', () => {
  test.each<[string, Reply]>([
    ['500', { status: 500 }],
    ['529 of a proxy, in HTML', { status: 529, body: '<html>overloaded</html>' }],
    [
      '200 with a page of HTML',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' },
    ],
    [
      '200 with another JSON',
      { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' },
    ],
  ])('%s: is tried again, and its answer taken', async (_, reply) => {
    const { judges, mock } = await startJudges({ answer: failTimes(4, reply) });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      ok: true,
      answer: verdict,
      attempts: 5,
    });
    expect(mock.calls).toHaveLength(5);
  });

  test.each<[string, Reply, string, string]>([
    ['500 every time', { status: 500 }, 'provider_error', 'openai answered 500: mock error 500'],
    ['nothing in time', { never: 'anything' }, 'timeout', 'openai did not answer within 1000 ms.'],
    [
      'a body that stalls',
      { never: 'the end' },
      'timeout',
      'openai did not answer within 1000 ms.',
    ],
  ])('%s: fails after five tries', async (_, reply, code, message) => {
    const { judges, mock } = await startJudges({
      answer: () => reply,
      environment: { JUDGE_TIMEOUT_MS: '1000' },
    });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      ok: false,
      code,
      message,
      attempts: 5,
    });
    expect(mock.calls).toHaveLength(5);
  });

  test.each<[string, object | string, object]>([
    [
      'without a code: tried five times',
      { message: 'The upstream model is overloaded.' },
      { code: 'provider_error', attempts: 5, message: /: The upstream model is overloaded\.$/ },
    ],
    [
      'with a code of the caller: fails at once',
      { message: 'No such model.', code: 404 },
      { code: 'provider_error', attempts: 1, message: /: No such model\.$/ },
    ],
    [
      'with the code of a limit: tried eight times',
      { message: 'Slow down.', code: 429 },
      { code: 'rate_limited', attempts: 8, message: /: Slow down\.$/ },
    ],
    ['that is a text', 'overloaded', { attempts: 5, message: /: overloaded$/ }],
  ])('an error in a 200, %s, is told by its own sentence', async (_, error, told) => {
    const reply = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ error }),
    };
    const { judges } = await startJudges({ answer: () => reply });
    const asked = await judges.ask(question('compatible/m'));
    const { message, ...others } = told as { message: RegExp };
    expect(asked).toMatchObject({
      ok: false,
      message: expect.stringMatching(message),
      ...others,
    });
    expect(asked).toMatchObject({
      message: expect.stringContaining('compatible answered 200 with an error'),
    });
  });

  test.each([
    'System role not supported',
    "messages[0].role: unsupported value 'system'",
    'Developer instruction is not enabled for models/gemma-3-27b-it',
    'Conversation roles must alternate user/assistant/user/assistant/...',
  ])('%s: the instructions go into the message of the prompt, once for all', async (message) => {
    const answer = ({ body }: Call): Reply =>
      body.messages[0].role === 'system'
        ? { status: 400, body: JSON.stringify({ error: { message } }) }
        : say(verdict);
    const { judges, mock } = await startJudges({ answer });
    expect(await judges.ask(question('compatible/gemma'))).toMatchObject({
      ok: true,
      attempts: 2,
      notes: [
        'the instructions stood in the message of the prompt: the model takes no system message',
      ],
    });
    expect(mock.calls[1]!.body.messages).toEqual([
      { role: 'user', content: 'You are a judge.\n\nIs 4 right?' },
    ]);
    expect(await judges.ask(question('compatible/gemma'))).toMatchObject({ attempts: 1 });
  });

  test('no connection: fails after five tries', async () => {
    const { judges, mock } = await startJudges({ answer: () => say(verdict) });
    await mock.stop();
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      code: 'provider_error',
      message: expect.stringContaining('ECONNREFUSED'),
      attempts: 5,
    });
  });

  test.each([400, 401, 403, 404])(
    '%i fails at once, in the words of the provider',
    async (status) => {
      const { judges, mock } = await startJudges({ answer: () => ({ status }) });
      const message = `openai answered ${status}: mock error ${status}`;
      expect(await judges.ask(question('gpt-4o'))).toMatchObject({
        ok: false,
        code: 'provider_error',
        message,
        attempts: 1,
      });
      expect(mock.calls).toHaveLength(1);
    },
  );

  test('an error that is a text, and no object, is told in its words', async () => {
    const body = JSON.stringify({ error: 'model m1 not found, try pulling it first' });
    const { judges } = await startJudges({ answer: () => ({ status: 404, body }) });
    expect(await judges.ask(question('compatible/m1'))).toMatchObject({
      ok: false,
      message: 'compatible answered 404: model m1 not found, try pulling it first',
    });
  });

  test('a body without an end is cut at 4 MiB, and is no answer', async () => {
    const { judges, mock } = await startJudges({ answer: () => ({ never: 'enough' }) });
    const message = `127.0.0.1:${mock.port} answered with more than 4194304 bytes.`;
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      ok: false,
      code: 'provider_error',
      message,
      attempts: 1,
    });
    await poll('the connection is broken off', () => mock.connections.broken === 1);
  });

  test('keys never come out in a message, though the provider shows them, and messages are short', async () => {
    const echo = ({ headers }: Call): Reply => ({
      status: 401,
      body: JSON.stringify({
        error: { message: `No such key:\n${headers.authorization} ${'x'.repeat(1000)}` },
      }),
    });
    const { judges } = await startJudges({ answer: echo });
    const { message } = (await judges.ask(question('gpt-4o'))) as { message: string };
    expect(message).toMatch(/^openai answered 401: No such key: Bearer \[removed\] x+$/);
    expect(message).not.toContain(keys.OPENAI_API_KEY);
    expect(message).toHaveLength(300);
  });
});

describe('hosts', () => {
  test('a redirect is not followed', async () => {
    const redirect = {
      status: 307,
      headers: { location: '/compatible/v1/chat/completions' },
      body: '',
    };
    const { judges, mock } = await startJudges({
      answer: ({ provider }) => (provider === 'openai' ? redirect : say(verdict)),
    });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      ok: false,
      code: 'provider_error',
      message: `127.0.0.1:${mock.port} answered 307, a redirect, which is not followed.`,
    });
    expect(mock.calls).toHaveLength(1);
  });

  test('one that is not allowed is sent nothing', async () => {
    const { judges, mock } = await startJudges({
      answer: () => say(verdict),
      environment: { JUDGE_ALLOWED_HOSTS: 'api.openai.com, localhost' },
    });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      ok: false,
      message: expect.stringContaining('JUDGE_ALLOWED_HOSTS'),
    });
    expect(mock.calls).toHaveLength(0);
  });

  test('one that is allowed by its name is, at any port', async () => {
    const { judges } = await startJudges({
      answer: () => say(verdict),
      environment: { JUDGE_ALLOWED_HOSTS: '127.0.0.1' },
    });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({ ok: true });
  });
});

describe('a provider that fails again and again', () => {
  const noPause = () => 0;

  test('is not called for a while: asks wait without a call, and end when they are aborted', async () => {
    const { judges, mock } = await startJudges({
      answer: () => ({ status: 503 }),
      pauseBaseMs: 1e6,
      random: noPause,
    });
    await judges.ask(question('gpt-4o'));
    expect(mock.calls).toHaveLength(5);
    const controller = new AbortController();
    const waiting = judges.ask({ ...question('gpt-4o'), signal: controller.signal });
    expect(await judges.ask(question('compatible/other'))).toMatchObject({
      ok: false,
      attempts: 5,
    });
    controller.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(mock.calls.filter(({ provider }) => provider === 'openai')).toHaveLength(5);
  });

  test('keeps no other model from its answers', async () => {
    const answer = ({ body }: Call): Reply =>
      body.model === 'bad' ? { status: 503 } : say(verdict);
    const { judges } = await startJudges({ answer, pauseBaseMs: 1e6, random: noPause });
    await judges.ask(question('compatible/bad'));
    expect(await judges.ask(question('compatible/good'))).toMatchObject({ ok: true, attempts: 1 });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({ ok: true, attempts: 1 });
  });

  test('is tried by one call after that, which lets the others through when it succeeds', async () => {
    let probe: ((reply: Reply) => void) | undefined;
    let arrived = 0;
    const answer = (): Reply | Promise<Reply> => {
      arrived++;
      if (arrived <= 5) return { status: 503 };
      return arrived === 6 ? new Promise((resolve) => (probe = resolve)) : say(verdict);
    };
    const { judges } = await startJudges({ answer, pauseBaseMs: 10, random: noPause });
    await judges.ask(question('gpt-4o'));
    const asks = Array.from({ length: 5 }, () => judges.ask(question('gpt-4o')));
    await poll('a probe is sent', () => probe !== undefined);
    expect(await judges.ask(question('compatible/other'))).toMatchObject({ ok: true });
    expect(arrived).toBe(7);
    probe!(say(verdict));
    expect((await Promise.all(asks)).map(({ ok, attempts }) => [ok, attempts])).toEqual(
      Array(5).fill([true, 1]),
    );
    expect(arrived).toBe(11);
  });

  test('and is left alone again when the probe fails', async () => {
    const { judges, mock } = await startJudges({
      answer: () => ({ status: 503 }),
      pauseBaseMs: 10,
      random: noPause,
    });
    await judges.ask(question('gpt-4o'));
    const waiting = judges.ask(question('gpt-4o'));
    await poll('one more call was made', () => mock.calls.length === 6);
    expect(await waiting).toMatchObject({ ok: false, attempts: 5 });
    expect(mock.calls).toHaveLength(10);
  });
});
