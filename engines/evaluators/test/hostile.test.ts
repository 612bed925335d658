import { describe, expect, test } from 'vitest';
import { score } from './similarity-score.ts';

describe('levenshtein and rouge_l', () => {
  test('take 100,000 characters and words, all different or all the same', async () => {
    const letters = Array.from({ length: 100_000 }, (_, i) =>
      String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000)),
    ).join('');
    const reversed = Array.from(letters).reverse().join('');
    expect(await score('levenshtein', `x${letters}`, `${reversed}y`)).toBeLessThan(0.1);
    expect(await score('levenshtein', 'a'.repeat(100_000), 'b'.repeat(99_999))).toBe(0);
    const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`);
    expect(await score('rouge_l', words.join(' '), words.toReversed().join(' '))).toBeCloseTo(
      1 / 20_000,
      14,
    );
  });

  test('refuse what would take minutes, but not what differs in a few places only', async () => {
    expect(await score('levenshtein', 'a'.repeat(1_000_000), 'b'.repeat(1_000_000))).toMatch(
      /too long/,
    );
    expect(await score('rouge_l', 'a '.repeat(1_000_000), 'b '.repeat(1_000_000))).toMatch(
      /too long/,
    );
    expect(
      await score('levenshtein', `${'a'.repeat(500_000)}x`, `${'a'.repeat(500_000)}y`),
    ).toBeCloseTo(1, 5);
  });
});
