import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accountOf,
  differenceOf,
  newScoreStates,
  type ScoreStates,
  type StoredScore,
  sumOf,
  withAwaited,
  withFailure,
  without,
  withoutScoreOf,
  withPending,
  withScore,
} from '../src/domain/accounts/score-states.ts';

const metrics = ['a', 'b', 'c', 'd'].map((metricVersionId, index) => ({
  metricId: `metric ${metricVersionId}`,
  metricVersionId,
  isScoredByService: index % 2 === 0,
  annotators: 1,
}));

const score = (metricVersionId: string, change: Partial<StoredScore> = {}): StoredScore => ({
  metricVersionId,
  userId: 'u',
  text: '{}',
  value: 1,
  source: 'human',
  createdAt: new Date(0),
  ...change,
});

/** How many members score each metric of a record. */
const annotators: Record<string, number> = { a: 1, b: 2, c: 1, d: 3 };

const step = fc.record({
  metric: fc.constantFrom('a', 'b', 'c', 'd'),
  kind: fc.constantFrom('score', 'pendingScore', 'deletion', 'failure', 'pending', 'awaited'),
  userId: fc.constantFrom('u', 'v', 'w', 'x'),
});

function apply(
  states: ScoreStates,
  { metric, kind, userId }: { metric: string; kind: string; userId: string },
): ScoreStates {
  if (kind === 'score') return withScore(states, score(metric, { userId }), annotators[metric]);
  if (kind === 'pendingScore')
    return withScore(
      states,
      score(metric, { userId, isPending: true, value: null }),
      annotators[metric],
    );
  if (kind === 'deletion')
    return withoutScoreOf(states, {
      metricVersionId: metric,
      userId,
      annotators: annotators[metric]!,
    });
  if (kind === 'failure')
    return withFailure(states, {
      metricVersionId: metric,
      code: 'timeout',
      message: '',
      attempts: 1,
      at: new Date(0),
    });
  return kind === 'pending' ? withPending(states, metric) : withAwaited(states, metric);
}

describe('the score states of a record', () => {
  test('every metric version is in exactly one state, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const states = steps.reduce(apply, newScoreStates(metrics));
        const { pending, awaited, failed, scored } = accountOf(states);
        expect(pending + awaited + failed + scored).toBe(metrics.length);
        const isScored = (id: string) =>
          states.scores.some((of) => of.metricVersionId === id) && !states.awaited.includes(id);
        for (const { metricVersionId: id } of metrics) {
          const isFailed = states.failures.some((of) => of.metricVersionId === id);
          expect(
            [
              states.pending.includes(id),
              states.awaited.includes(id),
              isFailed,
              isScored(id),
            ].filter(Boolean),
          ).toHaveLength(1);
        }
      }),
    );
  });

  test('of several annotators each has one score, and the score is awaited until enough of them have given one', () => {
    const ofOne = step.filter(({ kind }) => ['score', 'pendingScore', 'deletion'].includes(kind));
    fc.assert(
      fc.property(fc.array(ofOne), (steps) => {
        const states = steps.reduce(apply, newScoreStates(metrics));
        for (const metric of ['b', 'd']) {
          const latest = new Map(
            steps
              .filter((each) => each.metric === metric)
              .map(({ userId, kind }) => [userId, kind]),
          );
          const own = states.scores.filter((of) => of.metricVersionId === metric);
          const given = [...latest]
            .filter(([, kind]) => kind === 'score')
            .map(([userId]) => userId);
          expect(
            own
              .filter(({ isPending }) => !isPending)
              .map(({ userId }) => userId)
              .sort(),
          ).toEqual(given.sort());
          expect(own).toHaveLength(
            [...latest.values()].filter((kind) => kind !== 'deletion').length,
          );
          expect(states.awaited.includes(metric)).toBe(given.length < annotators[metric]!);
        }
      }),
    );
  });

  test('the differences of all steps add up to the account', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let states = newScoreStates(metrics);
        const differences = [accountOf(states)];
        for (const each of steps) {
          const next = apply(states, each);
          differences.push(differenceOf(accountOf(next), accountOf(states)));
          states = next;
        }
        expect(sumOf(differences)).toEqual(accountOf(states));
      }),
    );
  });

  test('a score outside the accounts changes no account', () => {
    const before = newScoreStates(metrics);
    const after = withScore(before, score('elsewhere', { isOutside: true }));
    expect(accountOf(after)).toEqual(accountOf(before));
    expect(accountOf(without(after, 'elsewhere'))).toEqual(accountOf(before));
  });
});
