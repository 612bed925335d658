import { describe, expect, test } from 'vitest';
import { bradleyTerry, bradleyTerryIntervals, type Wins } from '../bradley-terry.ts';
import { createRandom } from '../random.ts';

const flat = (rows: number[][]): Wins => Float64Array.from(rows.flat());

function expectNear(strengths: Float64Array, expected: number[]): void {
  for (const [item, strength] of strengths.entries())
    expect(strength).toBeCloseTo(expected[item]!, 6);
}

describe('strengths of the Bradley–Terry model', () => {
  test('are those of choix and statsmodels', () => {
    // choix 0.4.1: opt_pairwise(4, data, method='Newton-CG', tol=1e-12)
    const four = bradleyTerry(
      flat([
        [0, 12, 14, 10],
        [5, 0, 9, 6],
        [3, 8, 0, 2],
        [4, 11, 13, 0],
      ]),
      4,
    );
    expectNear(four, [0.8337466, -0.35928767, -0.80907721, 0.33461828]);
    // With ties as half wins. statsmodels 0.15: GLM(…, family=Binomial()) with sum-to-zero coding
    const three = bradleyTerry(
      flat([
        [0, 5.5, 7],
        [2.5, 0, 4.5],
        [1, 3.5, 0],
      ]),
      3,
    );
    expectNear(three, [0.85914757, -0.19291185, -0.66623572]);
  });

  test('of two items are half the log odds, by arithmetic', () => {
    const [one, two] = bradleyTerry(
      flat([
        [0, 9],
        [3, 0],
      ]),
      2,
    );
    expect(one).toBeCloseTo(Math.log(3) / 2, 9);
    expect(two).toBeCloseTo(-Math.log(3) / 2, 9);
  });
});

/** A testcase in which all pairs of items meet: the strongest wins with the model's chance. */
function drawTestcase(strengths: number[], uniform: () => number): Wins {
  const count = strengths.length;
  const wins = new Float64Array(count * count);
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) {
      const chance = 1 / (1 + Math.exp(strengths[j]! - strengths[i]!));
      const [winner, loser] = uniform() < chance ? [i, j] : [j, i];
      wins[winner * count + loser] = 1;
    }
  return wins;
}

describe('their intervals', () => {
  test('hold the truth about as often as they say', () => {
    const truth = [0.8, 0.1, -0.9];
    const { uniform } = createRandom({ seed: 1 });
    let held = 0;
    const rounds = 40;
    for (let round = 0; round < rounds; round++) {
      const testcases = Array.from({ length: 50 }, () => drawTestcase(truth, uniform));
      const strengths = bradleyTerryIntervals(testcases, { count: 3, seed: round });
      held += strengths.filter(
        ({ confidenceInterval: { low, high } }, item) =>
          low <= truth[item]! && truth[item]! <= high,
      ).length;
    }
    expect(held / (3 * rounds)).toBeGreaterThan(0.9);
  });

  test('have width where all testcases say the same, and less of it where more do', () => {
    const always = flat([
      [0, 1, 1],
      [0, 0, 0.5],
      [0, 0.5, 0],
    ]);
    const widths = [5, 50].map((count) => {
      const [best] = bradleyTerryIntervals(
        Array.from({ length: count }, () => always),
        { count: 3 },
      );
      const { low, high } = best!.confidenceInterval;
      expect(Number.isFinite(high)).toBe(true);
      return high - low;
    });
    expect(widths[0]).toBeGreaterThan(widths[1]!);
    expect(widths[1]).toBeGreaterThan(0.1);
  });

  test('are the same for the same testcases', () => {
    const testcases = Array.from({ length: 9 }, () =>
      flat([
        [0, 1],
        [0, 0],
      ]),
    );
    expect(bradleyTerryIntervals(testcases, { count: 2 })).toEqual(
      bradleyTerryIntervals(testcases, { count: 2 }),
    );
  });
});
