export interface Random {
  /** The next 32 random bits, as an unsigned integer. */
  word: () => number;
  /** Fills the array with the next words. */
  fill: (words: Uint32Array) => void;
  /** A number strictly between 0 and 1, in steps of 2^-32. */
  uniform: () => number;
}

/**
 * The seed of every result that draws, so that the same scores give the same interval and the same
 * p-value.
 */
export const defaultSeed = 20_250_720;

const wordValues = 2 ** 32;

/**
 * A generator that gives the same words for the same seed on every machine: xoshiro128** of
 * Blackman and Vigna, Scrambled linear pseudorandom number generators, ACM TOMS 47 (2021). `state`
 * (four words, not all zero) overrides the seed.
 */
export function createRandom({
  seed = defaultSeed,
  state = spread(seed),
}: {
  seed?: number;
  state?: Uint32Array;
}): Random {
  const current = Uint32Array.from(state);
  const one = new Uint32Array(1);
  const word = () => {
    fill(one);
    return one[0]!;
  };
  const fill = (words: Uint32Array) => advance(current, words);
  return { word, fill, uniform: () => (word() + 0.5) / wordValues };
}

function advance(state: Uint32Array, words: Uint32Array): void {
  let [a, b, c, d] = [state[0]! | 0, state[1]! | 0, state[2]! | 0, state[3]! | 0];
  for (let i = 0; i < words.length; i++) {
    const product = Math.imul(b, 5);
    words[i] = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
  }
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
}

/**
 * Four well mixed words from one: a Weyl sequence through the finalizer of MurmurHash3, as the
 * authors ask for a seeder of another kind.
 */
function spread(seed: number): Uint32Array {
  let weyl = seed | 0;
  return Uint32Array.from({ length: 4 }, () => {
    weyl = (weyl + 0x9e3779b9) | 0;
    let mixed = Math.imul(weyl ^ (weyl >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return mixed ^ (mixed >>> 16);
  });
}
