import { createHash } from 'node:crypto';
import { writeJson } from '@assay/json/write';
import type { Testcase } from './evaluation.ts';

/** The names of a testcase, by which it is chosen. */
type TestcaseName = Pick<Testcase, 'id' | 'key'>;

interface Choice {
  limit?: number | undefined;
  sample?: number | undefined;
  seed?: number | undefined;
}

const defaultSeed = 1;

/**
 * The testcases that are evaluated, as they come in; all of them where neither `limit` nor `sample`
 * is given.
 */
export async function* chooseTestcases<Case extends TestcaseName>(
  testcases: AsyncIterable<Case> | Iterable<Case>,
  { limit, sample, seed = defaultSeed }: Choice,
): AsyncGenerator<Case> {
  if (sample !== undefined) {
    yield* await draw(testcases, { sample, seed });
    return;
  }
  let count = 0;
  for await (const testcase of testcases) {
    yield testcase;
    if (++count === limit) return;
  }
}

/**
 * Draws the testcases with the lowest hashes of seed and id, in their order. A testset that grows
 * keeps most of them, and another program draws the same ones.
 */
async function draw<Case extends TestcaseName>(
  testcases: AsyncIterable<Case> | Iterable<Case>,
  { sample, seed }: { sample: number; seed: number },
): Promise<Case[]> {
  let drawn: { testcase: Case; rank: string; index: number }[] = [];
  let index = 0;
  for await (const testcase of testcases) {
    const name = testcase.id ?? testcase.key ?? String(index);
    const rank = createHash('sha256').update(`${seed}:${name}`).digest('hex');
    drawn.push({ testcase, rank, index: index++ });
    // Twice as many at most are kept, so that a large testset is not.
    if (drawn.length >= 2 * sample) drawn = lowest(drawn, sample);
  }
  return lowest(drawn, sample)
    .sort((one, other) => one.index - other.index)
    .map(({ testcase }) => testcase);
}

const lowest = <Item extends { rank: string }>(items: Item[], count: number): Item[] =>
  items.sort((one, other) => (one.rank < other.rank ? -1 : 1)).slice(0, count);

const nameCharactersMax = 60;

/** Made of a hash, it tells people nothing. */
const isMadeKey = (key: string): boolean => /^row:[0-9a-f]{32}(:\d+)?$/.test(key);

/** The key of a testcase, else the beginning of its first input: for a list of tests. */
export function nameOf({ key, inputs }: Testcase, index: number): string {
  const own = key === undefined || isMadeKey(key) ? undefined : key;
  const first = own ?? Object.values(inputs)[0] ?? `testcase ${index + 1}`;
  const text = typeof first === 'string' ? first : writeJson(first);
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > nameCharactersMax ? `${line.slice(0, nameCharactersMax - 1)}…` : line;
}
