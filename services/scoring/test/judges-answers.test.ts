import { describe, expect, test } from 'vitest';
import { question, startJudges, verdict } from './judges-setting.ts';
import { type Reply, say } from './mock-providers.ts';

/** Answers in the order given; the last one again and again. */
function inTurn(...replies: Reply[]) {
  let next = 0;
  return () => replies[Math.min(next++, replies.length - 1)]!;
}

const unusable: [string, Reply, string][] = [
  [
    'an answer cut off',
    { text: '{"reasoning":"It', finish: 'cut' },
    'It was cut off before its end',
  ],
  [
    'a refusal',
    { text: 'I cannot judge this.', finish: 'refused' },
    'It was refused: I cannot judge this.',
  ],
  ['an empty answer', { text: '' }, 'It is empty.'],
  ['prose', { text: 'It looks right to me.' }, 'It is not one JSON object.'],
  [
    'two objects that differ',
    { text: `${JSON.stringify(verdict)} or ${JSON.stringify({ ...verdict, binaryScore: false })}` },
    'It has several answers that differ',
  ],
  ['a list of texts', say(['true']), 'It is not one JSON object.'],
  [
    'a value of another type',
    say({ ...verdict, binaryScore: 'true' }),
    'It does not fit the schema: /binaryScore must be boolean.',
  ],
  ['no value', say({ reasoning: 'r' }), "must have required property 'binaryScore'"],
  [
    'more than was asked for',
    say({ ...verdict, passed: true }),
    'must NOT have additional properties',
  ],
];

describe('an answer that cannot be used', () => {
  test.each(unusable)(
    '%s is shown to the judge, told what is wrong with it, and repaired',
    async (_, reply, wrong) => {
      const { judges, mock } = await startJudges({ answer: inTurn(reply, say(verdict)) });
      const asked = await judges.ask(question('gpt-4o'));
      expect(asked).toMatchObject({
        ok: true,
        answer: verdict,
        attempts: 2,
        usage: { inputTokens: 24, outputTokens: 14 },
      });
      const [system, prompt, answer, repair] = mock.calls[1]!.body.messages;
      expect([system, prompt]).toEqual(mock.calls[0]!.body.messages);
      const said =
        'text' in reply && 'finish' in reply && reply.finish === 'refused'
          ? ''
          : (reply as { text: string }).text;
      expect(answer).toEqual({ role: 'assistant', content: said || '(no answer)' });
      expect(repair).toEqual({ role: 'user', content: expect.stringContaining(wrong) });
    },
  );

  test.each(unusable)(
    '%s, again and again, is an invalid_answer after two repairs, with what is wrong',
    async (_, reply, wrong) => {
      const { judges, mock } = await startJudges({ answer: () => reply });
      const asked = await judges.ask(question('gpt-4o'));
      expect(asked).toMatchObject({
        ok: false,
        code: 'invalid_answer',
        message: expect.stringContaining(wrong),
        attempts: 3,
      });
      expect(asked.usage).toEqual({
        inputTokens: 36,
        outputTokens: 21,
        costUsd: (36 * 2.5 + 21 * 10) / 1e6,
      });
      expect(mock.calls).toHaveLength(3);
    },
  );

  test.each([
    'anthropic/claude-sonnet-4-5',
    'google/gemini-2.5-flash',
    'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
  ])('%s: refused or cut off in its own form, then repaired', async (model) => {
    const { judges } = await startJudges({
      answer: inTurn(
        { text: 'no', finish: 'refused' },
        { text: '{"rea', finish: 'cut' },
        say(verdict),
      ),
    });
    expect(await judges.ask(question(model))).toMatchObject({
      ok: true,
      answer: verdict,
      attempts: 3,
    });
  });
});

describe('an answer that can be used', () => {
  test.each([
    ['in a code fence', `\`\`\`json\n${JSON.stringify(verdict)}\n\`\`\``],
    ['with prose around it', `Here you are: ${JSON.stringify(verdict)} I hope that helps.`],
  ])('%s is taken as it is', async (_, text) => {
    const { judges } = await startJudges({ answer: () => ({ text }) });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      ok: true,
      answer: verdict,
      attempts: 1,
    });
  });

  test('a key that JavaScript objects inherit is one too many, as any other', async () => {
    const text = '{"reasoning":"r","binaryScore":true,"__proto__":{"binaryScore":false}}';
    const { judges } = await startJudges({ answer: inTurn({ text }, say(verdict)) });
    expect(await judges.ask(question('gpt-4o'))).toMatchObject({
      ok: true,
      answer: verdict,
      attempts: 2,
    });
  });
});

describe('what an answer cost', () => {
  const ask = async (
    model: string,
    { usage, prices }: { usage?: object | null; prices?: string } = {},
  ) => {
    const environment = { JUDGE_PRICES: prices };
    const { judges } = await startJudges({
      answer: () => ({ text: JSON.stringify(verdict), usage }),
      environment,
    });
    return judges.ask(question(model));
  };

  test.each([
    ['gpt-4o', (12 * 2.5 + 7 * 10) / 1e6],
    ['openai/gpt-4o', (12 * 2.5 + 7 * 10) / 1e6],
    ['gpt-4o-2024-08-06', (12 * 2.5 + 7 * 10) / 1e6],
    ['gpt-4o-mini', (12 * 0.15 + 7 * 0.6) / 1e6],
    ['gpt-4o-audio', undefined],
    ['anthropic/claude-sonnet-4-20250514', (12 * 3 + 7 * 15) / 1e6],
    ['google/gemini-2.5-flash-lite-preview-09-2025', (12 * 0.1 + 7 * 0.4) / 1e6],
    ['bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', (12 * 3 + 7 * 15) / 1e6],
    ['compatible/gpt-4o', undefined],
  ])(
    '%s: by the list, also for a dated name; unknown where there is no price',
    async (model, costUsd) => {
      expect((await ask(model)).usage.costUsd).toBe(costUsd);
    },
  );

  test('configured prices come before the list, and price what is not in it', async () => {
    const price = { inputUsdPerMillion: 1000, outputUsdPerMillion: 0 };
    const prices = JSON.stringify({ 'gpt-4o': price, 'compatible/org/m': price });
    expect((await ask('gpt-4o', { prices })).usage.costUsd).toBe(0.012);
    expect((await ask('compatible/org/m', { prices })).usage.costUsd).toBe(0.012);
    expect((await ask('gpt-4o-mini', { prices })).usage.costUsd).toBeLessThan(0.001);
  });

  test.each([
    ['missing', null, 0, 0],
    ['negative', { prompt_tokens: -5, completion_tokens: 7 }, 0, 7],
    ['not whole', { prompt_tokens: 1.5, completion_tokens: 7 }, 0, 7],
    ['absurd', { prompt_tokens: 12, completion_tokens: 1e300 }, 12, 0],
  ])(
    'token counts that are %s count as none, and are noted',
    async (_, usage, inputTokens, outputTokens) => {
      const asked = await ask('gpt-4o', { usage });
      expect(asked.usage).toEqual({
        inputTokens,
        outputTokens,
        costUsd: (inputTokens * 2.5 + outputTokens * 10) / 1e6,
      });
      expect(asked).toMatchObject({
        ok: true,
        notes: ['the provider told no credible token counts'],
      });
    },
  );
});
