import { expect, test } from 'vitest';
import { judgeSentences, type PairResult, pairSentence } from '../src/text/pairwise.ts';

const interval = (low: number, high: number) => ({ low, high, level: 0.95 });
const result: PairResult = {
  baselineRunId: 'a',
  candidateRunId: 'b',
  wins: 61,
  losses: 22,
  ties: 17,
  failed: 0,
  difference: 0.39,
  confidenceInterval: interval(0.21, 0.54),
  pValue: 0.00001,
  adjustedPValue: 0.0003,
  verdict: 'better',
};
const names = (runId: string) => ({ a: 'Atlas v3', b: 'Atlas v4' })[runId]!;

test('the result of two runs is a sentence for people', () => {
  expect(pairSentence(result, names)).toBe(
    'Better: Atlas v4 won 61 testcases and lost 22 to Atlas v3; 17 were ties (95 % interval of the difference +21 to +54 points; adjusted p 0.00030).',
  );
  expect(
    pairSentence(
      { ...result, verdict: 'undecided', ties: 1, adjustedPValue: null, failed: 1 },
      names,
    ),
  ).toBe(
    'Undecided: Atlas v4 won 61 testcases and lost 22 to Atlas v3; 1 was a tie (95 % interval of the difference +21 to +54 points). 1 testcase could not be judged.',
  );
});

test('a preference for a place is told where its interval leaves out a half, and not elsewhere', () => {
  const share = (count: number, low: number, high: number) => ({
    count,
    of: 20,
    share: count / 20,
    confidenceInterval: interval(low, high),
  });
  const sentences = (preference: ReturnType<typeof share> | null) =>
    judgeSentences({
      level: 0.95,
      pairs: [result],
      leaderboard: null,
      consistency: share(15, 0.53, 0.89),
      firstSlotPreference: preference,
    });
  expect(sentences(null)).toEqual([
    'In both orders the judge said the same of 15 of 20 pairs (75.0 %, 95 % interval 53.0 % to 89.0 %).',
  ]);
  expect(sentences(share(18, 0.7, 0.97))[1]).toContain('it prefers the answer that it sees first');
  expect(sentences(share(2, 0.03, 0.3))[1]).toContain('it prefers the answer that it sees second');
  expect(sentences(share(11, 0.34, 0.74))[1]).toContain('no place is clearly preferred');
});
