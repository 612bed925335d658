import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  nextFailed,
  openingPlace,
  shownRows,
  treeOf,
  unfoldedTo,
} from '../src/pages/trace/span-tree.ts';

const span = (spanId: string, parentSpanId: string | null, status: 'ok' | 'error' = 'ok') => ({
  spanId,
  parentSpanId,
  status,
});

/** Each span as its id, moved to the right by its depth. */
const drawn = (tree: ReturnType<typeof treeOf>) =>
  tree.map(({ span, depth, looseBy }) =>
    `${'.'.repeat(depth)}${span.spanId} ${looseBy ?? ''}`.trim(),
  );

test('spans stand below their parents in the order in which they are given', () => {
  const tree = treeOf([span('root', null), span('b', 'root'), span('bb', 'b'), span('c', 'root')]);
  expect(drawn(tree as never)).toEqual(['root', '.b', '..bb', '.c']);
  expect(tree.map(({ end }) => end)).toEqual([4, 3, 3, 4]);
});

test('a span whose parent is missing stands at the root, marked, with those below it', () => {
  const tree = treeOf([span('a', 'gone'), span('root', null), span('below', 'a')]);
  expect(drawn(tree as never)).toEqual(['a missing', '.below', 'root']);
});

test('cycles of parents end: the first span of each stands at the root, marked', () => {
  const tree = treeOf([
    span('root', null),
    span('self', 'self'),
    span('one', 'three'),
    span('two', 'one'),
    span('three', 'two'),
    span('aside', 'two'),
  ]);
  expect(drawn(tree as never)).toEqual([
    'root',
    'self cycle',
    'one cycle',
    '.two',
    '..three',
    '..aside',
  ]);
});

test('a chain of 20,000 spans is placed without a deep recursion', () => {
  const chain = Array.from({ length: 20_000 }, (_, at) =>
    span(`${at}`, at === 0 ? null : `${at - 1}`, at === 19_999 ? 'error' : 'ok'),
  );
  const tree = treeOf(chain);
  expect(tree.at(-1)).toMatchObject({ depth: 19_999, end: 20_000 });
  expect(tree[0]).toMatchObject({ end: 20_000, errorsBelow: 1 });
});

test('whatever parents spans name, each is in the tree once and folds with what is below it', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const spans = fc.array(
    fc.record({
      spanId: ids,
      parentSpanId: fc.option(fc.oneof(ids, fc.constant('gone'))),
      status: fc.constantFrom('ok' as const, 'error' as const),
    }),
  );
  fc.assert(
    fc.property(spans, (given) => {
      const tree = treeOf(given);
      expect(tree.map(({ span }) => span).toSorted(byIndex(given))).toEqual(given);
      tree.forEach(({ depth, end, errorsBelow }, at) => {
        const below = tree.slice(at + 1, end);
        expect(below.every((one) => one.depth > depth)).toBe(true);
        expect(tree[end]?.depth ?? 0).toBeLessThanOrEqual(depth);
        expect(errorsBelow).toBe(below.filter(({ span }) => span.status === 'error').length);
      });
    }),
  );
});

const byIndex =
  <One>(given: One[]) =>
  (one: One, other: One) =>
    given.indexOf(one) - given.indexOf(other);

test('a folded span hides what is below it, and what a person goes to is unfolded', () => {
  const tree = treeOf([
    span('root', null),
    span('b', 'root'),
    span('bb', 'b'),
    span('c', 'root'),
    span('cc', 'c'),
  ]);
  expect(shownRows(tree, new Set())).toEqual([0, 1, 2, 3, 4]);
  expect(shownRows(tree, new Set(['b', 'bb']))).toEqual([0, 1, 3, 4]);
  expect(shownRows(tree, new Set(['root', 'b']))).toEqual([0]);
  expect(unfoldedTo(tree, new Set(['root', 'b', 'c']), 4)).toEqual(new Set(['b']));
});

test('the next error is found after a place and around the end', () => {
  const tree = treeOf([
    span('a', null, 'error'),
    span('b', 'a'),
    span('c', 'b', 'error'),
    span('d', null),
  ]);
  expect([0, 1, 2, 3].map((place) => nextFailed(tree, place))).toEqual([2, 2, 0, 0]);
  expect(nextFailed(treeOf([span('a', null)]), 0)).toBe(-1);
  expect(nextFailed([], 0)).toBe(-1);
});

test('a trace opens on its first span that says what went in or came out, else on its root', () => {
  const placed = (inputPreview: string | null, outputPreview: string | null) => ({
    span: { inputPreview, outputPreview },
  });
  const silent = placed(null, null);
  expect(openingPlace([silent, placed(null, 'late'), placed('Where?', null)])).toBe(1);
  expect(openingPlace([placed('', null), placed('Where?', null)])).toBe(0);
  expect(openingPlace([silent, silent])).toBe(0);
});
