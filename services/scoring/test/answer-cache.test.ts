import { describe, expect, test } from 'vitest';
import { createEstimates } from '../src/domain/allowance.ts';
import type { QuestionOwner, Reply, VoteQuestion } from '../src/domain/judging/answer-cache.ts';
import type { JudgeReply } from '../src/judges/judge-client.ts';
import { memoryCache } from './answer-cache-setting.ts';
import { schema } from './judges-setting.ts';

const question = (changes: Partial<VoteQuestion> = {}): VoteQuestion => ({
  model: 'gpt-4o',
  instructions: 'You are a judge.',
  prompt: 'Is 4 right?',
  schema,
  temperature: 0,
  seed: null,
  ...changes,
});
const owner: QuestionOwner = { organizationId: 'o1', cacheProjectId: 'p1' };

const reply = (changes: object = {}): JudgeReply => ({
  ok: true,
  answer: { reasoning: 'Four.', binaryScore: true },
  temperature: 0,
  usage: { inputTokens: 12, outputTokens: 7, costUsd: 0.0001 },
  attempts: 1,
  notes: [],
  ...changes,
});
const failure: JudgeReply = {
  ok: false,
  code: 'provider_error',
  message: 'away',
  usage: { inputTokens: 0, outputTokens: 0, costUsd: undefined },
  attempts: 5,
};

/** A cache whose judge counts the questions. */
function startCache({ days, address = 'https://a' }: { days?: number; address?: string } = {}) {
  const addresses = { of: (_model: string): string | undefined => address };
  const judges = { addressOf: (model: string) => addresses.of(model) };
  const memory = memoryCache({ judges, ...(days !== undefined && { days }) });
  const asked: VoteQuestion[] = [];
  const judge = { answer: async (_: VoteQuestion): Promise<JudgeReply> => reply() };
  let paid = 0;
  const answer = (
    questions: VoteQuestion[],
    { as = owner, mayPay = true }: { as?: QuestionOwner; mayPay?: boolean } = {},
  ): Promise<Reply[]> =>
    memory.cache.answer<Reply[]>(as, questions, {
      pay: (replies) => {
        paid++;
        return mayPay ? replies() : Promise.reject(new Error('nothing is left'));
      },
      ask: (some) => {
        asked.push(...some);
        return Promise.all(some.map((one) => judge.answer(one)));
      },
      use: (replies) => replies,
    });
  return { ...memory, answer, asked, addresses, judge, paid: () => paid };
}

describe('a question that was answered before', () => {
  test('is answered from the cache: nothing is paid or asked, and the tokens are those of the first time', async () => {
    const { answer, asked, paid } = startCache();
    expect(await answer([question()])).toEqual([reply()]);
    expect(await answer([question()])).toEqual([
      {
        ...reply(),
        usage: { inputTokens: 12, outputTokens: 7, costUsd: undefined },
        attempts: 0,
        isCached: true,
      },
    ]);
    expect([asked.length, paid()]).toEqual([1, 1]);
  });

  test.each([
    ['of another organization', {}, { organizationId: 'o2', cacheProjectId: 'p1' }],
    ['with another prompt', { prompt: 'Is 5 right?' }, owner],
    ['with other instructions', { instructions: 'Be strict.' }, owner],
    ['with another form of the answer', { schema: { ...schema, required: [] } }, owner],
    ['with another seed', { seed: 7 }, owner],
    ['that bypasses the cache', {}, { organizationId: 'o1' }],
  ])('is asked again %s', async (_, changes, as) => {
    const { answer, asked } = startCache();
    await answer([question()]);
    const [again] = await answer([question(changes)], { as });
    expect(asked).toHaveLength(2);
    expect(again).not.toHaveProperty('isCached');
  });

  test('is asked again where the same name means another model, at another address', async () => {
    const { answer, asked, addresses } = startCache();
    await answer([question()]);
    addresses.of = () => 'https://b';
    await answer([question()]);
    expect(asked).toHaveLength(2);
  });

  test('is left to the judge to refuse where its model may not be asked any more', async () => {
    const { answer, asked, addresses, judge } = startCache();
    await answer([question()]);
    addresses.of = () => undefined;
    judge.answer = async () => failure;
    expect(await answer([question()])).toEqual([failure]);
    expect(asked).toHaveLength(2);
  });
});

describe('nothing is kept', () => {
  test.each([0.7, 1, null])('of an answer at the temperature %s', async (temperature) => {
    const { answer, asked, kept } = startCache();
    await answer([question({ temperature })]);
    await answer([question({ temperature })]);
    expect([asked.length, kept.size]).toEqual([2, 0]);
  });

  test.each([
    ['a failure', failure],
    ['the answer of a model that does not take the temperature', reply({ temperature: null })],
    [
      'an answer of more than 64 KiB',
      reply({ answer: { reasoning: 'x'.repeat(65_536), binaryScore: true } }),
    ],
  ])('of %s', async (_, replied) => {
    const { answer, asked, kept, judge } = startCache();
    judge.answer = async () => replied;
    expect(await answer([question()])).toEqual([replied]);
    await answer([question()]);
    expect([asked.length, kept.size]).toEqual([2, 0]);
  });

  test('by a cache that is turned off', async () => {
    const { answer, asked, kept } = startCache({ days: 0 });
    await answer([question()]);
    await answer([question()]);
    expect([asked.length, kept.size]).toEqual([2, 0]);
  });
});

describe('several votes', () => {
  const votes = (count: number) => Array.from({ length: count }, () => question());

  test('without a seed are each asked, although they ask the same', async () => {
    const { answer, asked, kept } = startCache();
    await answer(votes(3));
    expect([asked.length, kept.size]).toEqual([3, 3]);
    expect((await answer(votes(3))).map(({ isCached }) => isCached)).toEqual([true, true, true]);
    expect(asked).toHaveLength(3);
  });

  test('ask for those alone that were not there before', async () => {
    const { answer, asked } = startCache();
    await answer(votes(1));
    const replies = await answer(votes(3));
    expect(replies.map(({ isCached = false }) => isCached)).toEqual([true, false, false]);
    expect(asked).toHaveLength(3);
  });

  test('of which one failed are not paid for again but for that one', async () => {
    const { answer, asked, judge } = startCache();
    const failing = question({ seed: 2 });
    const questions = [question({ seed: 1 }), failing, question({ seed: 3 })];
    judge.answer = async ({ seed }) => (seed === 2 ? failure : reply());
    await answer(questions);
    judge.answer = async () => reply();
    await answer(questions);
    expect(asked.slice(3)).toEqual([failing]);
  });
});

describe('two who ask the same at once', () => {
  /** A judge that answers when it is told to. */
  function holding({ judge }: ReturnType<typeof startCache>) {
    const held: ((reply: JudgeReply) => void)[] = [];
    judge.answer = () => new Promise((resolve) => held.push(resolve));
    return held;
  }
  const beforeAll = () => new Promise((resolve) => setImmediate(resolve));

  test('pay for one answer', async () => {
    const cache = startCache();
    const held = holding(cache);
    const both = [cache.answer([question()]), cache.answer([question()])];
    await beforeAll();
    expect(held).toHaveLength(1);
    held[0]!(reply());
    const [[first], [second]] = (await Promise.all(both)) as [[Reply], [Reply]];
    expect([first.isCached, second.isCached]).toEqual([undefined, true]);
    expect([cache.asked.length, cache.paid()]).toEqual([1, 1]);
  });

  test('of different organizations pay for two', async () => {
    const cache = startCache();
    const as = { organizationId: 'o2', cacheProjectId: 'p2' };
    await Promise.all([cache.answer([question()]), cache.answer([question()], { as })]);
    expect(cache.asked).toHaveLength(2);
  });

  test('share no failure: the second asks for itself', async () => {
    const cache = startCache();
    const held = holding(cache);
    const first = cache.answer([question()]);
    const second = cache.answer([question()]);
    await beforeAll();
    held[0]!(failure);
    expect(await first).toEqual([failure]);
    await beforeAll();
    held[1]!(reply());
    expect(await second).toEqual([reply()]);
  });

  test('do not share a budget: where the first may not pay, the second does', async () => {
    const cache = startCache();
    const first = cache.answer([question()], { mayPay: false });
    const second = cache.answer([question()]);
    await expect(first).rejects.toThrow('nothing is left');
    expect(await second).toEqual([reply()]);
  });

  test('do not share a signal: who is aborted leaves, and the other has its answer', async () => {
    const cache = startCache();
    const held = holding(cache);
    const stop = new AbortController();
    const first = cache.answer([question()]);
    const second = cache.answer([question()], { as: { ...owner, signal: stop.signal } });
    await beforeAll();
    stop.abort(new Error('the run is paused'));
    await expect(second).rejects.toThrow('the run is paused');
    held[0]!(reply());
    expect(await first).toEqual([reply()]);
  });
});

test('where the database is away, judges are asked, and that is told once', async () => {
  const { answer, asked, database, faults } = startCache();
  database.isAway = true;
  for (let times = 0; times < 3; times++) expect(await answer([question()])).toEqual([reply()]);
  expect(asked).toHaveLength(3);
  expect(faults).toEqual([new Error('no primary')]);
  database.isAway = false;
  await answer([question()]);
  expect((await answer([question()]))[0]).toMatchObject({ isCached: true });
});

test('what the cache gave does not make the next judgement look cheap', () => {
  const estimates = createEstimates();
  const judgement = (costUsd: number, cachedVotes: number) => ({
    metricVersionId: 'v',
    outcome: {
      kind: 'score' as const,
      value: true,
      reasoning: 'r',
      source: 'ai' as const,
      provenance: {
        metricVersionId: 'v',
        evaluator: 'judge',
        votes: 3,
        cachedVotes,
        costUsd,
        durationMs: 1,
        attempts: 3 - cachedVotes,
      },
    },
  });
  estimates.learn(judgement(0, 3));
  expect(estimates.of('v')).toBeUndefined();
  estimates.learn(judgement(0.3, 0));
  expect(estimates.of('v')).toBe(900_000_000);
  estimates.learn(judgement(0.2, 2));
  expect(estimates.of('v')).toBe(1_800_000_000);
  estimates.learn(judgement(0, 3));
  expect(estimates.of('v')).toBe(1_800_000_000);
});
