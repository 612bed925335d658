import { describe, expect, test } from 'vitest';
import type { Preference } from '../src/domain/judging/answer.ts';
import { type AnsweredPair, describePairs } from '../src/domain/pairwise/statistics.ts';

type Answers = [forward: Preference, backward: Preference];

const wins: Answers = ['second', 'first'];
const loses: Answers = ['first', 'second'];
const ties: Answers = ['tie', 'tie'];

/** Pairs of two runs, a testcase each. */
function pairs(...counted: [number, Answers | null][]): AnsweredPair[] {
  return counted
    .flatMap(([count, answers]) => Array.from({ length: count }, () => answers))
    .map((answers, place) => ({
      testcaseId: String(place),
      runs: [0, 1],
      answers: answers && { forward: answers[0], backward: answers[1] },
    }));
}

const describeTwo = (answered: AnsweredPair[]) =>
  describePairs({ runIds: ['a', 'b'], pairs: answered });

describe('the verdict on two runs', () => {
  test('is the mid-p sign test over the testcases that one of them won', () => {
    const { pairs: results } = describeTwo(pairs([15, wins], [5, loses], [30, ties], [2, null]));
    // SciPy 1.17: 2 * binom.cdf(5, 20, .5) - binom.pmf(5, 20, .5)
    expect(results[0]!.pValue).toBeCloseTo(0.026603698730468753, 12);
    expect(results[0]).toMatchObject({
      wins: 15,
      losses: 5,
      ties: 30,
      failed: 2,
      difference: 0.2,
      verdict: 'better',
    });
    expect(results[0]!.confidenceInterval!.low).toBeGreaterThanOrEqual(0);
  });

  test('and the interval say the same, whichever way it goes', () => {
    for (let won = 0; won <= 12; won++)
      for (let lost = 0; lost <= 12; lost++) {
        const [result] = describeTwo(pairs([won, wins], [lost, loses], [4, ties])).pairs;
        const { low, high } = result!.confidenceInterval!;
        if (result!.verdict === 'better') expect(low).toBeGreaterThanOrEqual(0);
        if (result!.verdict === 'worse') expect(high).toBeLessThanOrEqual(0);
        if (result!.verdict === 'undecided') expect(low <= 0 && high >= 0).toBe(true);
      }
  });

  test('is undecided without anything that was judged', () => {
    expect(describeTwo(pairs([3, null]))).toMatchObject({
      pairs: [{ difference: null, confidenceInterval: null, pValue: null, verdict: 'undecided' }],
      consistency: null,
      firstSlotPreference: null,
    });
  });
});

describe('of contradictions', () => {
  test('none is a win, also where one of the answers is a tie', () => {
    const halves: Answers[] = [
      ['first', 'first'],
      ['second', 'second'],
      ['first', 'tie'],
      ['tie', 'second'],
    ];
    const { pairs: results, consistency } = describeTwo(
      pairs(...halves.map((answers): [number, Answers] => [1, answers])),
    );
    expect(results[0]).toMatchObject({ wins: 0, losses: 0, ties: 4 });
    expect(consistency).toMatchObject({ count: 0, of: 4 });
  });

  test('the share that leans to the first slot is told with its interval', () => {
    const { consistency, firstSlotPreference } = describeTwo(
      pairs(
        [10, wins],
        [18, ['first', 'first']],
        [4, ['second', 'second']],
        [3, ['second', 'tie']],
      ),
    );
    expect(consistency).toMatchObject({ count: 10, of: 35 });
    // statsmodels 0.15: proportion_confint(18, 25, method='wilson')
    expect(firstSlotPreference).toMatchObject({ count: 18, of: 25, share: 0.72 });
    expect(firstSlotPreference!.confidenceInterval.low).toBeCloseTo(0.5242339480963842, 9);
    expect(firstSlotPreference!.confidenceInterval.high).toBeCloseTo(0.8571614614904344, 9);
  });
});

describe('three runs', () => {
  const runIds = ['a', 'b', 'c'];
  /** Testcases in which all three meet. */
  const met = (count: number, answers: [Answers, Answers, Answers]): AnsweredPair[] =>
    Array.from({ length: count }, (_, place) =>
      (
        [
          [0, 1],
          [0, 2],
          [1, 2],
        ] as [number, number][]
      ).map((runs, pair): AnsweredPair => {
        const [forward, backward] = answers[pair]!;
        return { testcaseId: `${answers}/${place}`, runs, answers: { forward, backward } };
      }),
    ).flat();

  test('have p-values that are corrected for the number of pairs, by Holm', () => {
    const { pairs: results } = describePairs({
      runIds,
      pairs: met(7, [wins, wins, ties]),
    });
    expect(results.map(({ pValue }) => pValue)).toEqual([
      expect.closeTo(2 ** -7, 12),
      expect.closeTo(2 ** -7, 12),
      null,
    ]);
    expect(results.map(({ adjustedPValue }) => adjustedPValue)).toEqual([
      expect.closeTo(2 ** -6, 12),
      expect.closeTo(2 ** -6, 12),
      null,
    ]);
  });

  test('have no order that few testcases cannot show, though all of them say the same', () => {
    const { leaderboard } = describePairs({ runIds, pairs: met(3, [loses, loses, loses]) });
    expect(leaderboard!.map(({ runId }) => runId)).toEqual(runIds);
    for (const { rank } of leaderboard!) expect(rank).toEqual({ from: 1, to: 3 });
  });

  test('have an order where many do', () => {
    const { leaderboard } = describePairs({ runIds, pairs: met(40, [loses, loses, loses]) });
    expect(leaderboard!.map(({ runId, rank, winShare }) => [runId, rank, winShare])).toEqual([
      ['a', { from: 1, to: 1 }, 1],
      ['b', { from: 2, to: 2 }, 0.5],
      ['c', { from: 3, to: 3 }, 0],
    ]);
  });

  test('count a testcase once for consistency: its pairs are drawn together', () => {
    const alike = [
      ...met(10, [wins, wins, wins]),
      ...met(10, [
        ['first', 'first'],
        ['first', 'first'],
        ['first', 'first'],
      ]),
    ];
    const { consistency } = describePairs({ runIds, pairs: alike });
    const { low, high } = consistency!.confidenceInterval;
    expect(consistency).toMatchObject({ count: 30, of: 60 });
    // Wilson's of 60 independent ones would be 0.25 wide.
    expect(high - low).toBeGreaterThan(0.4);
  });
});
