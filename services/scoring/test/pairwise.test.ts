import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import {
  callUsd,
  type PairwiseReply,
  type PairwiseWorld,
  type PreparedRuns,
  prefer,
  preferLater,
  shown,
  startPairwiseWorld,
} from './pairwise-world.ts';

let world: PairwiseWorld;
beforeAll(async () => {
  world = await startPairwiseWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.answers(preferLater));

const repeated = (text: string, count: number) => Array.from({ length: count }, () => text);

async function compare(
  { metricId, runIds }: Pick<PreparedRuns, 'metricId' | 'runIds'>,
  more: object = {},
): Promise<PairwiseReply> {
  const body = { metricId, runIds, ...more };
  const reply = await world.request('POST', '/pairwise-comparisons', body);
  if (reply.status !== 201) throw new Error(reply.text);
  return world.finished(reply.body.id);
}

const listed = async (id: string, query = ''): Promise<PairwiseReply[]> =>
  (await world.request('GET', `/pairwise-comparisons/${id}/judgements?limit=100${query}`)).body
    .data;

describe('a judge to whom the order means nothing', () => {
  test('finds the better run, agrees with itself, and is asked twice about each testcase', async () => {
    const prepared = await world.prepare({ answers: [repeated('a', 8), repeated('b', 8)] });
    const before = world.mock.calls.length;
    const { account, costUsd, results } = await compare(prepared);
    expect(account).toEqual({ expected: 8, judged: 8, failed: 0, pending: 0 });
    expect(world.mock.calls.length - before).toBe(16);
    expect(costUsd).toBeCloseTo(16 * callUsd, 12);
    const [baselineRunId, candidateRunId] = prepared.runIds;
    expect(results.pairs).toEqual([
      {
        baselineRunId,
        candidateRunId,
        wins: 8,
        losses: 0,
        ties: 0,
        failed: 0,
        difference: 1,
        confidenceInterval: { low: expect.any(Number), high: 1, level: 0.95 },
        pValue: expect.closeTo(0.5 ** 8, 12),
        adjustedPValue: expect.closeTo(0.5 ** 8, 12),
        verdict: 'better',
      },
    ]);
    expect(results.pairs[0].confidenceInterval.low).toBeGreaterThan(0);
    expect(results.consistency).toMatchObject({ count: 8, of: 8, share: 1 });
    expect(results).toMatchObject({ leaderboard: null, firstSlotPreference: null });
  });

  test('is shown both orders of a pair, with nothing that tells the runs apart', async () => {
    const prepared = await world.prepare({ answers: [['a'], ['b']] });
    const before = world.mock.calls.length;
    const { id } = await compare(prepared);
    const calls = world.mock.calls.slice(before);
    expect(calls.map(shown).sort()).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    for (const { body } of calls)
      for (const secret of [...prepared.runIds, 'baseline', 'candidate'])
        expect(JSON.stringify(body)).not.toContain(secret);
    const [pair] = await listed(id);
    const [baselineRunId, candidateRunId] = prepared.runIds;
    expect(pair).toMatchObject({
      testcaseId: prepared.testcaseIds[0],
      outcome: 'candidate',
      answers: [
        { firstRunId: baselineRunId, preferred: 'second', preferredRunId: candidateRunId },
        { firstRunId: candidateRunId, preferred: 'first', preferredRunId: candidateRunId },
      ],
    });
    expect(pair.answers[0].reasoning).toBe('The better one is: second.');
  });
});

describe('a judge that always prefers what it was shown first', () => {
  test('contradicts itself everywhere: all is a tie, and its preference is told', async () => {
    world.answers(() => prefer('first'));
    const prepared = await world.prepare({ answers: [repeated('a', 6), repeated('b', 6)] });
    const { id, results } = await compare(prepared);
    expect(results.pairs[0]).toMatchObject({
      wins: 0,
      losses: 0,
      ties: 6,
      difference: 0,
      pValue: null,
      verdict: 'undecided',
    });
    expect(results.consistency).toMatchObject({ count: 0, of: 6, share: 0 });
    expect(results.firstSlotPreference).toMatchObject({ count: 6, of: 6, share: 1 });
    expect((await listed(id, '&outcome=contradiction')).length).toBe(6);
    expect(await listed(id, '&outcome=tie')).toEqual([]);
  });

  test('is outvoted: of three votes the median counts, and each is told', async () => {
    let asked = 0;
    // Two of three prefer the answer that is later in the alphabet.
    world.answers((call) => (asked++ % 3 === 0 ? prefer('first') : preferLater(call)));
    const prepared = await world.prepare({ answers: [['a'], ['b']], metric: { votes: 3 } });
    const { id } = await compare(prepared);
    const [pair] = await listed(id);
    expect(pair.outcome).toBe('candidate');
    for (const { votes } of pair.answers) expect(votes).toHaveLength(3);
  });
});

describe('three runs', () => {
  test('are compared in all pairs, and ranked with intervals where they can be told apart', async () => {
    const prepared = await world.prepare({
      answers: [repeated('b', 8), repeated('a', 8), repeated('b', 8)],
    });
    const { account, results } = await compare(prepared);
    const [first, second, third] = prepared.runIds;
    expect(account.expected).toBe(24);
    const shownPairs = results.pairs.map((pair: PairwiseReply) => [
      pair.baselineRunId,
      pair.candidateRunId,
      pair.verdict,
    ]);
    expect(shownPairs).toEqual([
      [first, second, 'worse'],
      [first, third, 'undecided'],
      [second, third, 'better'],
    ]);
    const board = new Map(results.leaderboard.map((run: PairwiseReply) => [run.runId, run]));
    expect(results.leaderboard.at(-1).runId).toBe(second);
    expect(board.get(first)).toMatchObject({ rank: { from: 1, to: 2 }, winShare: 0.75 });
    expect(board.get(third)).toMatchObject({ rank: { from: 1, to: 2 }, winShare: 0.75 });
    expect(board.get(second)).toMatchObject({ rank: { from: 3, to: 3 }, winShare: 0 });
  });
});

describe('what is compared', () => {
  test('is the latest record of a testcase that all runs have, and no other', async () => {
    const prepared = await world.prepare({
      answers: [
        ['a', 'a', 'a'],
        ['b', 'b'],
      ],
    });
    const [runId] = prepared.runIds;
    await world.create(`/runs/${runId}/records`, {
      testcaseId: prepared.testcaseIds[0],
      inputs: { question: 0 },
      expected: {},
      outputs: { answer: 'c' },
    });
    const { id, testcases, results } = await compare(prepared);
    expect(testcases).toBe(2);
    expect(results.pairs[0]).toMatchObject({ wins: 1, losses: 1 });
    expect((await listed(id)).map(({ testcaseId }) => testcaseId).sort()).toEqual(
      prepared.testcaseIds.slice(0, 2).sort(),
    );
  });

  test('is lost by a side whose system failed, and is a tie where both failed, without a judge', async () => {
    const prepared = await world.prepare({ answers: [[], [], ['a']] });
    const { runIds, testcaseIds } = prepared;
    const [baselineId, candidateId] = runIds as [string, string];
    const testcaseId = testcaseIds[0];
    const body = { testcaseId, inputs: { question: 0 }, expected: {} };
    const error = { name: 'TimeoutError', message: 'too slow' };
    await world.create(`/runs/${baselineId}/records`, { ...body, outputs: { answer: 'a' } });
    await world.create(`/runs/${candidateId}/records`, { ...body, error });
    const before = world.mock.calls.length;
    const { results, costUsd } = await compare({ ...prepared, runIds: [baselineId, candidateId] });
    expect(results.pairs[0]).toMatchObject({ wins: 0, losses: 1, ties: 0, failed: 0 });
    const turned = await compare({ ...prepared, runIds: [candidateId, baselineId] });
    expect(turned.results.pairs[0]).toMatchObject({ wins: 1, losses: 0, ties: 0, failed: 0 });
    const { id } = await world.create(`/projects/${prepared.projectId}/runs`, {
      metricIds: [],
      testsetId: prepared.testsetId,
    });
    await world.create(`/runs/${id}/records`, { ...body, error });
    const both = await compare({ ...prepared, runIds: [candidateId, id] });
    expect(both.results.pairs[0]).toMatchObject({ wins: 0, losses: 0, ties: 1, failed: 0 });
    expect([costUsd, world.mock.calls.length - before]).toEqual([0, 0]);
    // A judge that nobody asked has agreed with itself in nothing.
    expect([results.consistency, both.results.consistency]).toEqual([null, null]);
  });

  test('is a random sample of so many testcases where that is wanted', async () => {
    const prepared = await world.prepare({ answers: [repeated('a', 20), repeated('b', 20)] });
    const samples = [];
    for (let sample = 0; sample < 4; sample++) {
      const { id, testcases } = await compare(prepared, { testcases: 5 });
      expect(testcases).toBe(5);
      samples.push((await listed(id)).map(({ testcaseId }) => testcaseId).join());
    }
    expect(new Set(samples).size).toBeGreaterThan(1);
  });

  test('is told to be changed where the inputs of a testcase differ between the runs', async () => {
    const prepared = await world.prepare({
      answers: [
        ['a', 'a'],
        ['b', 'b'],
      ],
    });
    await world.create(`/runs/${prepared.runIds[1]}/records`, {
      testcaseId: prepared.testcaseIds[0],
      inputs: { question: 'another' },
      expected: {},
      outputs: { answer: 'b' },
    });
    const { warnings } = await compare(prepared);
    expect(warnings).toMatchObject([
      { code: 'testcases_differ', details: { testcases: 2, differing: 1 } },
    ]);
  });

  test('may be records that are too large to be read together', async () => {
    const large = (letter: string) => letter.repeat(5 * 1024 * 1024);
    const prepared = await world.prepare({
      answers: [repeated(large('a'), 3), repeated(large('b'), 3)],
      metric: {
        promptTemplate: '{{ first.outputs.answer[:1] }}{{ second.outputs.answer[:1] }}',
      },
    });
    const { results } = await compare(prepared);
    expect(results.pairs[0]).toMatchObject({ wins: 3, losses: 0, failed: 0 });
  });
});

describe('a judge that fails', () => {
  test('leaves failures with their reasons, and a retry asks only what has no answer', async () => {
    const prepared = await world.prepare({ answers: [repeated('a', 4), repeated('b', 4)] });
    // It fails where the candidate is shown first.
    world.answers((call) => (shown(call)[0] === 'b' ? { status: 400 } : preferLater(call)));
    const failed = await compare(prepared);
    expect(failed).toMatchObject({
      account: { expected: 4, judged: 0, failed: 4, pending: 0 },
      results: null,
    });
    const [pair] = await listed(failed.id, '&outcome=failed');
    expect(pair.answers).toMatchObject([
      { preferred: 'second' },
      { preferred: null, failure: { code: 'provider_error' } },
    ]);
    world.answers(preferLater);
    const before = world.mock.calls.length;
    const retry = await world.request('POST', `/pairwise-comparisons/${failed.id}/retry`);
    expect(retry.body).toEqual({ queued: 4 });
    const { account, results, costUsd } = await world.finished(failed.id);
    expect(account).toEqual({ expected: 4, judged: 4, failed: 0, pending: 0 });
    expect(results.pairs[0]).toMatchObject({ wins: 4, verdict: 'undecided' });
    expect(world.mock.calls.length - before).toBe(4);
    expect(costUsd).toBeGreaterThan(failed.costUsd);
  });

  test('fails for a record that is deleted before it is asked, and for no other', async () => {
    const prepared = await world.prepare({ answers: [repeated('a', 2), repeated('b', 2)] });
    const { metricId, runIds } = prepared;
    const { body } = await world.request('GET', `/runs/${runIds[0]}/records`);
    const [deleted] = body.data;
    let asked = 0;
    // All fail at first, so that there is something to ask again.
    world.answers(() => {
      asked++;
      return { status: 400 };
    });
    const { id } = await compare({ metricId, runIds });
    expect(asked).toBe(4);
    await world.request('DELETE', `/records/${deleted.id}`);
    world.answers(preferLater);
    await world.request('POST', `/pairwise-comparisons/${id}/retry`);
    const { account } = await world.finished(id);
    expect(account).toMatchObject({ judged: 1, failed: 1 });
    const [pair] = await listed(id, '&outcome=failed');
    expect(pair.baselineRecordId).toBe(deleted.id);
    expect(pair.answers[0].failure.message).toBe('A record of the pair is not there any more.');
  });
});

describe('a budget', () => {
  test('ends the questions when it is spent, and a retry with a larger one goes on', async () => {
    const prepared = await world.prepare({ answers: [repeated('a', 10), repeated('b', 10)] });
    const before = world.mock.calls.length;
    const { id, account, costUsd } = await compare(prepared, { budgetUsd: 5 * callUsd });
    expect(world.mock.calls.length - before).toBe(5);
    expect(costUsd).toBeCloseTo(5 * callUsd, 12);
    expect(account).toMatchObject({ expected: 10, pending: 0 });
    const [pair] = await listed(id, '&outcome=failed');
    expect(pair.answers.at(-1).failure.code).toBe('budget_exhausted');
    await world.request('POST', `/pairwise-comparisons/${id}/retry`, { budgetUsd: null });
    const finished = await world.finished(id);
    expect(finished.account).toMatchObject({ judged: 10, failed: 0 });
    expect(world.mock.calls.length - before).toBe(20);
    expect(finished.costUsd).toBeCloseTo(20 * callUsd, 12);
  });

  test('may be estimated before: by prompts at first, and then by what was paid', async () => {
    const prepared = await world.prepare({
      answers: [
        ['a', 'a'],
        ['b', 'b'],
        ['c', 'c'],
      ],
    });
    const { metricId, runIds } = prepared;
    const estimate = async () =>
      (await world.request('POST', '/pairwise-comparisons/estimate', { metricId, runIds })).body;
    const before = world.mock.calls.length;
    const first = await estimate();
    expect(first).toMatchObject({ testcases: 2, runPairs: 3, pairs: 6, questions: 12 });
    expect(first.costUsd).toBeGreaterThan(12 * 0.002);
    expect(first.costUsd).toBeLessThan(12 * 0.005);
    expect(world.mock.calls.length).toBe(before);
    await compare(prepared);
    expect((await estimate()).costUsd).toBeCloseTo(12 * callUsd, 12);
  });
});

describe('processes', () => {
  test('share the work, and each question is asked once', async () => {
    // More pairs than one job has.
    const prepared = await world.prepare({ answers: [repeated('a', 30), repeated('b', 30)] });
    await using other = Object.assign(
      await start({ ...world.config, RUN_RECORDS_URL: world.urls['run-records']! }),
      { [Symbol.asyncDispose]: () => other.stop() },
    );
    const before = world.mock.calls.length;
    const { account, results } = await compare(prepared);
    expect(account).toEqual({ expected: 30, judged: 30, failed: 0, pending: 0 });
    expect(results.pairs[0].wins).toBe(30);
    expect(world.mock.calls.length - before).toBe(60);
  });

  test('that lose their jobs with the bus find them again in the database', async () => {
    const prepared = await world.prepare({ answers: [repeated('a', 30), repeated('b', 30)] });
    let asked = 0;
    world.answers(async (call) => {
      if (++asked === 3) {
        const manager = await world.bus.connection.jetstreamManager();
        const ours = `${world.config.SUBJECT_PREFIX.toUpperCase()}-JOBS`;
        for (const { config } of await manager.streams.list().next())
          if (config.name.startsWith(ours)) await manager.streams.delete(config.name);
      }
      return preferLater(call);
    });
    const { account } = await compare(prepared);
    expect(account).toEqual({ expected: 30, judged: 30, failed: 0, pending: 0 });
  });
});
