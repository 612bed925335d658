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

const step = fc.record({
  metric: fc.constantFrom('a', 'b', 'c', 'd'),
  kind: fc.constantFrom('score', 'pendingScore', 'failure', 'pending', 'awaited'),
});

const apply = (cells: Cells, { metric, kind }: { metric: string; kind: string }): Cells => {
  if (kind === 'score') return withScore(cells, score(metric));
  if (kind === 'pendingScore') return withScore(cells, score(metric, { isPending: true, value: null }));
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
