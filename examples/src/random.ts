export interface Random {
  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/**
 * The same numbers for the same seed, on every machine: xorshift32 (Marsaglia, "Xorshift RNGs",
 * 2003; shifts 13, 17, 5).
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return { integer, pick: (items) => items[integer(0, items.length - 1)]! };
}
