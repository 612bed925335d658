import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withScoresMoved } from '../src/domain/accounts/moved-scores.ts';
import {
  accountOf,
  newScoreStates,
  type StoredScore,
  withScore,
} from '../src/domain/accounts/score-states.ts';

const metric = {
  metricId: 'metric',
  metricVersionId: 'version',
  isScoredByService: false,
  annotators: 2,
};

const score = (userId: string, change: Partial<StoredScore> = {}): StoredScore => ({
  metricVersionId: 'version',
  userId,
  text: `{"of":"the ${userId}"}`,
  value: 1,
  source: 'human',
  createdAt: new Date(0),
  ...change,
});

const recordWith = (...scores: StoredScore[]) =>
  scores.reduce(
    (states, each) => withScore(states, each, metric.annotators),
    newScoreStates([metric]),
  );

const moved = (...scores: StoredScore[]) =>
  withScoresMoved(recordWith(...scores), { from: 'person', to: 'member' }, [metric]);

const giversOf = (scores: StoredScore[] = []) =>
  scores.map(({ userId, text, isPending }) => [userId, text, isPending ?? false]);

describe('the scores of a person who is mapped to a member', () => {
  test('are the member’s, as they were', () => {
    const { states, awaitedAgain } = moved(score('person'), score('other'))!;
    expect(states.scores).toEqual([
      score('member', { text: score('person').text }),
      score('other'),
    ]);
    expect(awaitedAgain).toEqual([]);
  });

  test('go where the member scored the same, and another annotator is awaited', () => {
    const { states, awaitedAgain } = moved(score('person'), score('member'))!;
    expect(states.scores).toEqual([score('member')]);
    expect(states.awaited).toEqual(['version']);
    expect(awaitedAgain).toEqual(['version']);
  });

  test('stay where the member was asked and has not scored yet, and the other way round', () => {
    const pending = { isPending: true as const, value: null, text: '{}' };
    const asked = moved(score('person'), score('member', pending))!;
    expect(giversOf(asked.states.scores)).toEqual([['member', '{"of":"the person"}', false]]);
    const asking = moved(score('person', pending), score('member'))!;
    expect(giversOf(asking.states.scores)).toEqual([['member', '{"of":"the member"}', false]]);
  });

  test('that were recorded for others name the member as the recorder, but not of their own', () => {
    const { states } = moved(
      score('member', { recordedByUserId: 'person' }),
      score('other', { recordedByUserId: 'person' }),
    )!;
    expect(states.scores).toEqual([
      score('member'),
      score('other', { recordedByUserId: 'member' }),
    ]);
  });

  test('are left as they are where there are none', () => {
    expect(moved(score('member'), score('other', { recordedByUserId: 'member' }))).toBeUndefined();
  });

  test('are moved once: a repeat finds nothing, the person is nowhere, and the accounts add up', () => {
    const given = fc.record({
      userId: fc.constantFrom('person', 'member', 'other'),
      recordedByUserId: fc.option(fc.constantFrom('person', 'member', 'other'), { nil: undefined }),
      isPending: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(given, { maxLength: 6 }), (all) => {
        const before = recordWith(
          ...all.map(({ userId, recordedByUserId, isPending }) =>
            score(userId, {
              ...(recordedByUserId ? { recordedByUserId } : {}),
              ...(isPending ? { isPending, value: null } : {}),
            }),
          ),
        );
        const move = { from: 'person', to: 'member' };
        const { states = before } = withScoresMoved(before, move, [metric]) ?? {};
        expect(JSON.stringify(states.scores)).not.toMatch(/":"person"/);
        expect(withScoresMoved(states, move, [metric])).toBeUndefined();
        const { awaited, scored } = accountOf(states);
        expect(awaited + scored).toBe(1);
      }),
    );
  });
});
