import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkOptions } from '../src/options.ts';
import { chooseTestcases, nameOf } from '../src/testcases.ts';

const testcases = Array.from({ length: 50 }, (_, index) => ({
  id: `t${index}`,
  inputs: { q: `question ${index}` },
  expected: {},
}));

async function chosen(choice: { limit?: number; sample?: number; seed?: number }) {
  const ids: string[] = [];
  for await (const { id } of chooseTestcases(testcases, choice)) ids.push(id);
  return ids;
}

test('a sample has the testcases with the lowest SHA-256 of seed and id, in their order', async () => {
  const rank = (id: string) => createHash('sha256').update(`7:${id}`).digest('hex');
  const ids = testcases.map(({ id }) => id);
  const lowest = ids.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, 6);
  const sample = await chosen({ sample: 6, seed: 7 });
  expect(sample).toEqual(ids.filter((id) => lowest.includes(id)));
  expect(await chosen({ sample: 6, seed: 8 })).not.toEqual(sample);
  expect(await chosen({ sample: 80 })).toHaveLength(50);
});

test('a limit has the first testcases, and without a choice there are all', async () => {
  expect(await chosen({ limit: 2 })).toEqual(['t0', 't1']);
  expect(await chosen({})).toHaveLength(50);
});

test('a testcase is called by its key, else by its first input, on one line', () => {
  const named = (inputs: Record<string, unknown>, key?: string) =>
    nameOf({ inputs, expected: {}, metadata: {}, ...(key === undefined ? {} : { key }) }, 2);
  expect(named({ q: 'x' }, 'key-1')).toBe('key-1');
  expect(named({ q: ' two\n lines\u001b[2J' })).toBe('two lines [2J');
  expect(named({ q: { a: 1 } })).toBe('{"a":1}');
  expect(named({})).toBe('testcase 3');
  expect(named({ q: 'long '.repeat(50) })).toHaveLength(60);
});

test.each([
  [{ concurency: 2 }, /^evaluate has no option "concurency"\. Did you mean "concurrency"/],
  [{ trials: 0 }, /^`trials` must be a whole number from 1 to 100\.$/],
  [{ timeoutMs: '5' }, /^`timeoutMs` must be a whole number of at least 1\.$/],
  [{ limit: 1, sample: 1 }, /^`limit` and `sample` exclude each other/],
  [{ system: 'x' }, /^`system` must be a function/],
  [
    { scores: { S: true } },
    /^The scorer "S" of `scores` must be a function, or \{ scorer, min, max, lowerIsBetter \}\.$/,
  ],
  [{ testset: undefined }, /^`testset` must be the name or the id/],
])('an option that is none is refused: %j', (slip, sentence) => {
  const options = { testset: 'T', system: () => 1, ...slip };
  expect(() => checkOptions('P', options as never)).toThrow(sentence);
});
