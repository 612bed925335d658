import { expect, test } from 'vitest';
import { costSentences, estimateText } from '../src/text/rescoring.ts';

const judge = { evalType: 'ai', queued: 200, costUsd: 0.5 };
const rule = { evalType: 'heuristic', queued: 200, costUsd: 0 };

test('an estimate says the cost of each metric in words', () => {
  expect(estimateText(judge)).toBe('200 scores, about $0.50');
  expect(estimateText({ ...judge, queued: 1, costUsd: null })).toBe(
    '1 score, at a price that is not known',
  );
  expect(estimateText(rule)).toBe('200 scores, without a judge');
});

test('the cost of a rescoring stands beside what is left of the budget', () => {
  const about =
    'Judges are paid for 200 scores: about $0.50, and less where the cache has answers.';
  expect(costSentences([judge, rule], null)).toEqual([about, 'The run has no budget.']);
  expect(costSentences([judge], 2)).toEqual([about, "$2.00 of the run's budget are left."]);
  expect(costSentences([judge], 0.2)).toEqual([
    about,
    "$0.20 of the run's budget are left: scoring pauses where that is spent.",
  ]);
  expect(costSentences([rule], 0)).toEqual(['No judge is asked: it costs nothing.']);
  expect(costSentences([{ ...judge, costUsd: null }, judge], null)[0]).toBe(
    'Judges are paid for 400 scores, at a price that is not known.',
  );
});
