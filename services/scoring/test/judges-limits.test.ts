import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import { question, startJudges, verdict } from './judges-setting.ts';
import { type Reply, say } from './mock-providers.ts';

/** Replies that wait until they are let go. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, reply: () => opened.then(() => say(verdict)) };
}

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('calls at once', () => {
  test('as many as are allowed for each model, never more, and all are answered', async () => {
    const gate = createGate();
    let now = 0;
    let most = 0;
    const { judges } = await startJudges({
      answer: async ({ body }) => {
        if (body.model === 'other') return say(verdict);
        most = Math.max(most, ++now);
        const reply = await gate.reply();
        now--;
        return reply;
      },
      environment: { JUDGE_CONCURRENCY: '4' },
    });
    const asks = times(40, () => judges.ask(question('gpt-4o')));
    await poll('as many as are allowed are under way', () => now === 4);
    for (let others = 0; others < 20; others++) await judges.ask(question('compatible/other'));
    expect(now).toBe(4);
    gate.open();
    expect((await Promise.all(asks)).every(({ ok }) => ok)).toBe(true);
    expect(most).toBe(4);
  });

  test('a slow provider keeps no other from answering: all its answers are there before the slow one has given any', async () => {
    const slow = createGate();
    const { judges } = await startJudges({
      answer: ({ provider }) => (provider === 'compatible' ? slow.reply() : say(verdict)),
      environment: { JUDGE_CONCURRENCY: '4' },
    });
    let slowAnswers = 0;
    const slowAsks = times(50, () =>
      judges.ask(question('compatible/slow')).then(() => slowAnswers++),
    );
    const models = ['gpt-4o', 'gpt-4o-mini', 'anthropic/claude-sonnet-4-5'];
    const others = await Promise.all(
      times(30, (index) => judges.ask(question(models[index % 3]!))),
    );
    expect(others.every(({ ok }) => ok)).toBe(true);
    expect(slowAnswers).toBe(0);
    slow.open();
    await Promise.all(slowAsks);
    expect(slowAnswers).toBe(50);
  });

  test('a slow model keeps no other model of its provider from answering', async () => {
    const slow = createGate();
    const { judges } = await startJudges({
      answer: ({ body }) => (body.model === 'slow' ? slow.reply() : say(verdict)),
      environment: { JUDGE_CONCURRENCY: '1' },
    });
    const slowAsks = times(3, () => judges.ask(question('compatible/slow')));
    expect(await judges.ask(question('compatible/quick'))).toMatchObject({ ok: true });
    slow.open();
    await Promise.all(slowAsks);
  });

  test('an ask that is tried again comes before those that came after it', async () => {
    const prompts: string[] = [];
    const { judges } = await startJudges({
      answer: ({ body }) => {
        prompts.push(body.messages[1].content);
        return prompts.length === 1 ? { status: 429 } : say(verdict);
      },
      environment: { JUDGE_CONCURRENCY: '1' },
    });
    await Promise.all(
      ['a', 'b', 'c'].map((prompt) => judges.ask({ ...question('gpt-4o'), prompt })),
    );
    expect(prompts[0]).toBe('a');
    expect(prompts.filter((prompt) => prompt === 'a')).toHaveLength(2);
    expect(prompts.at(-1)).toBe('c');
  });
});

describe('a rate limit', () => {
  const second = 1000;
  const limits: [string, string, () => { reply: Reply; until: number }][] = [
    [
      'Retry-After in seconds',
      'gpt-4o',
      () => ({
        reply: { status: 429, headers: { 'retry-after': '1' } },
        until: Date.now() + second,
      }),
    ],
    [
      'Retry-After as a date',
      'gpt-4o',
      () => {
        const until = (Math.floor(Date.now() / second) + 2) * second;
        return {
          reply: { status: 429, headers: { 'retry-after': new Date(until).toUTCString() } },
          until,
        };
      },
    ],
    [
      'retry-after-ms',
      'gpt-4o',
      () => ({
        reply: { status: 429, headers: { 'retry-after-ms': '700' } },
        until: Date.now() + 700,
      }),
    ],
    [
      "Google's retryDelay",
      'google/gemini-2.5-flash',
      () => ({
        reply: {
          status: 429,
          body: JSON.stringify({
            error: { code: 429, message: 'm', status: 'X', details: [{ retryDelay: '0.7s' }] },
          }),
        },
        until: Date.now() + 700,
      }),
    ],
  ];

  test.each(limits)(
    '%s holds up every call to the model until then, whoever asks',
    async (_, model, limit) => {
      let limited: ReturnType<typeof limit> | undefined;
      const early: number[] = [];
      const { judges, mock } = await startJudges({
        answer: () => {
          if (limited && Date.now() < limited.until - 20) early.push(limited.until - Date.now());
          if (limited) return say(verdict);
          limited = limit();
          return limited.reply;
        },
        environment: { JUDGE_CONCURRENCY: '1' },
      });
      const asked = await Promise.all(times(3, () => judges.ask(question(model))));
      expect(asked.map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(asked.map(({ attempts }) => attempts)).toEqual([2, 1, 1]);
      expect(early).toEqual([]);
      expect(mock.calls).toHaveLength(4);
    },
  );

  test('and keeps no other model waiting', async () => {
    const hour: Reply = { status: 429, headers: { 'retry-after': '3600' } };
    const { judges } = await startJudges({
      answer: ({ body }) => (body.model === 'limited' ? hour : say(verdict)),
    });
    const controller = new AbortController();
    const limited = judges.ask({ ...question('compatible/limited'), signal: controller.signal });
    expect(await judges.ask(question('compatible/other'))).toMatchObject({ ok: true, attempts: 1 });
    controller.abort();
    await expect(limited).rejects.toThrow('aborted');
  });

  test('that stays is rate_limited after eight tries, and no sign of a provider that fails', async () => {
    const { judges, mock } = await startJudges({
      answer: () => ({ status: 429 }),
      random: () => 0,
    });
    for (const calls of [8, 16])
      expect([await judges.ask(question('gpt-4o')), mock.calls.length]).toMatchObject([
        {
          ok: false,
          code: 'rate_limited',
          message: 'openai answered 429: mock error 429',
          attempts: 8,
        },
        calls,
      ]);
  });

  test('of a quota that is used up is told at once', async () => {
    const body = JSON.stringify({
      error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' },
    });
    const { judges, mock } = await startJudges({ answer: () => ({ status: 429, body }) });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      code: 'rate_limited',
      message: 'openai answered 429: You exceeded your current quota.',
    });
    expect(mock.calls).toHaveLength(1);
  });
});

describe('an ask that is aborted', () => {
  test('leaves the queue without a call; one under way is finished, since it is paid for', async () => {
    const gate = createGate();
    const { judges, mock } = await startJudges({
      answer: gate.reply,
      environment: { JUDGE_CONCURRENCY: '1' },
    });
    const controller = new AbortController();
    const [first, second] = times(2, () =>
      judges.ask({ ...question('gpt-4o'), signal: controller.signal }),
    );
    await poll('the first is under way', () => mock.calls.length === 1);
    controller.abort();
    await expect(second).rejects.toThrow('aborted');
    gate.open();
    expect(await first).toMatchObject({ ok: true, answer: verdict });
    expect(mock.calls).toHaveLength(1);
  });

  test('although it was answered is repaired first, since it is paid for', async () => {
    const controller = new AbortController();
    const { judges, mock } = await startJudges({
      answer: () => {
        controller.abort();
        return mock.calls.length === 1 ? { text: 'Full marks!' } : say(verdict);
      },
    });
    expect(await judges.ask({ ...question('gpt-4o'), signal: controller.signal })).toMatchObject({
      ok: true,
      attempts: 2,
    });
  });

  test('waits no longer to try again', async () => {
    const { judges, mock } = await startJudges({
      answer: () => ({ status: 500 }),
      pauseBaseMs: 1e6,
      random: () => 1,
    });
    const controller = new AbortController();
    const asked = judges.ask({ ...question('gpt-4o'), signal: controller.signal });
    await poll('it was tried', () => mock.calls.length === 1);
    controller.abort(new Error('the run is paused'));
    await expect(asked).rejects.toThrow('the run is paused');
  });

  test('before it began makes no call, nor one after the judges were closed', async () => {
    const { judges, mock } = await startJudges({ answer: () => say(verdict) });
    await expect(
      judges.ask({ ...question('gpt-4o'), signal: AbortSignal.abort() }),
    ).rejects.toThrow('aborted');
    judges.close();
    await expect(judges.ask(question('gpt-4o'))).rejects.toThrow('aborted');
    expect(mock.calls).toHaveLength(0);
  });

  test('by closing the judges ends the calls under way too', async () => {
    const { judges, mock } = await startJudges({ answer: createGate().reply });
    const asked = judges.ask(question('gpt-4o'));
    await poll('it is under way', () => mock.calls.length === 1);
    judges.close();
    await expect(asked).rejects.toThrow('aborted');
    await poll('the connection is broken off', () => mock.connections.broken === 1);
  });
});
