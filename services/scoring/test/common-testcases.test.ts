import { turnsDuring } from '@assay/testing/loop-turns';
import { expect, test } from 'vitest';
import { commonTestcases, draw } from '../src/domain/pairwise/common-testcases.ts';

type Reads = Parameters<typeof commonTestcases>[0];
type Identity = Parameters<typeof commonTestcases>[1];

const identity = {} as Identity;

/** Ratings of runs that have a record of each of these testcases. */
const ratingsOf = (testcaseIds: Record<string, readonly string[]>): Reads => ({
  streamRatings: async function* (_: Identity, { runId }: { runId: string }) {
    for (const testcaseId of testcaseIds[runId]!)
      yield { id: `${runId}/${testcaseId}`, testcaseId, contentHash: runId };
  } as never,
});

const many = Array.from({ length: 100_000 }, (_, index) => `testcase ${index}`);

test('the testcases that all runs have come with a record of each run', async () => {
  const ratings = ratingsOf({ a: ['1', '2', '3'], b: ['3', '2', '4'] });
  expect(await commonTestcases(ratings, identity, ['a', 'b'])).toEqual([
    { testcaseId: '3', recordIds: ['a/3', 'b/3'], differs: true },
    { testcaseId: '2', recordIds: ['a/2', 'b/2'], differs: true },
  ]);
});

test('the same seed draws the same testcases, in the order of their ids, and another seed others', async () => {
  const common = many.map((testcaseId) => ({ testcaseId, recordIds: [], differs: false }));
  const drawn = await draw(common, { count: 100, seed: 'one' });
  expect(drawn).toHaveLength(100);
  expect(drawn.map(({ testcaseId }) => testcaseId)).toEqual(
    drawn.map(({ testcaseId }) => testcaseId).toSorted(),
  );
  expect(await draw(common.toReversed(), { count: 100, seed: 'one' })).toEqual(drawn);
  expect(await draw(common, { count: 100, seed: 'two' })).not.toEqual(drawn);
});

test('the event loop turns while 100,000 testcases are looked for and drawn from', async () => {
  const ratings = ratingsOf({ a: many, b: many });
  let common: Awaited<ReturnType<typeof commonTestcases>> = [];
  const looking = await turnsDuring(async () => {
    common = await commonTestcases(ratings, identity, ['a', 'b']);
  });
  expect(common).toHaveLength(many.length);
  expect(looking).toBeGreaterThan(5);
  expect(await turnsDuring(() => draw(common, { count: 100, seed: '' }))).toBeGreaterThan(5);
});
