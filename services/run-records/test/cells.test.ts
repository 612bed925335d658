import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accountOf,
  type Cells,
  differenceOf,
  newCells,
  type StoredScore,
  sumOf,
  withAwaited,
  withFailure,
  without,
  withoutScoreOf,
  withPending,
  withScore,
} from '../src/domain/cells.ts';

const metrics = ['a', 'b', 'c', 'd'].map((metricVersionId, index) => ({ metricVersionId, isScoredByService: index % 2 === 0 }));

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

const apply = (cells: Cells, { metric, kind, userId }: { metric: string; kind: string; userId: string }): Cells => {
  if (kind === 'score') return withScore(cells, score(metric, { userId }), annotators[metric]);
  if (kind === 'pendingScore') return withScore(cells, score(metric, { userId, isPending: true, value: null }), annotators[metric]);
  if (kind === 'deletion') return withoutScoreOf(cells, { metricVersionId: metric, userId, annotators: annotators[metric]! });
  if (kind === 'failure')
    return withFailure(cells, { metricVersionId: metric, code: 'timeout', message: '', attempts: 1, at: new Date(0) });
  return kind === 'pending' ? withPending(cells, metric) : withAwaited(cells, metric);
};

describe('the cells of a record', () => {
  test('every metric version is in exactly one state, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cells = steps.reduce(apply, newCells(metrics));
        const { pending, awaited, failed, scored } = accountOf(cells);
        expect(pending + awaited + failed + scored).toBe(metrics.length);
        const isScored = (id: string) => cells.scores.some((of) => of.metricVersionId === id) && !cells.awaited.includes(id);
        for (const { metricVersionId: id } of metrics) {
          const isFailed = cells.failures.some((of) => of.metricVersionId === id);
          expect([cells.pending.includes(id), cells.awaited.includes(id), isFailed, isScored(id)].filter(Boolean)).toHaveLength(1);
        }
      }),
    );
  });

  test('of several annotators each has one score, and the cell is awaited until enough of them have given one', () => {
    const ofOne = step.filter(({ kind }) => ['score', 'pendingScore', 'deletion'].includes(kind));
    fc.assert(
      fc.property(fc.array(ofOne), (steps) => {
        const cells = steps.reduce(apply, newCells(metrics));
        for (const metric of ['b', 'd']) {
          const latest = new Map(steps.filter((each) => each.metric === metric).map(({ userId, kind }) => [userId, kind]));
          const own = cells.scores.filter((of) => of.metricVersionId === metric);
          const given = [...latest].filter(([, kind]) => kind === 'score').map(([userId]) => userId);
          expect(
            own
              .filter(({ isPending }) => !isPending)
              .map(({ userId }) => userId)
              .sort(),
          ).toEqual(given.sort());
          expect(own).toHaveLength([...latest.values()].filter((kind) => kind !== 'deletion').length);
          expect(cells.awaited.includes(metric)).toBe(given.length < annotators[metric]!);
        }
      }),
    );
  });

  test('the differences of all steps add up to the account', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let cells = newCells(metrics);
        const differences = [accountOf(cells)];
        for (const each of steps) {
          const next = apply(cells, each);
          differences.push(differenceOf(accountOf(next), accountOf(cells)));
          cells = next;
        }
        expect(sumOf(differences)).toEqual(accountOf(cells));
      }),
    );
  });

  test('a score outside the accounts changes no account', () => {
    const before = newCells(metrics);
    const after = withScore(before, score('elsewhere', { isOutside: true }));
    expect(accountOf(after)).toEqual(accountOf(before));
    expect(accountOf(without(after, 'elsewhere'))).toEqual(accountOf(before));
  });
});
