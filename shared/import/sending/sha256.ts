/** The round constants of SHA-256: the first 32 bits of the cube roots of the first 64 primes. */
const constants = fractions(64, Math.cbrt);
/** The first 32 bits of the square roots of the first 8 primes. */
const begin = fractions(8, Math.sqrt);

/**
 * The SHA-256 of a text in UTF-8, as 64 hexadecimal digits (FIPS 180-4). A browser has its own over
 * https alone, and Node's is not in a browser.
 */
export function sha256(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const state = Uint32Array.from(begin);
  const schedule = new Uint32Array(64);
  for (let at = 0; at < message.byteLength; at += 64) {
    for (let round = 0; round < 16; round++) schedule[round] = message.getUint32(at + 4 * round);
    addBlock(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

/** The bytes with a one, zeros, and their number of bits at the end. */
function padded(bytes: Uint8Array): DataView {
  const whole = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function addBlock(state: Uint32Array, schedule: Uint32Array): void {
  for (let round = 16; round < 64; round++) {
    const [early, late] = [schedule[round - 15]!, schedule[round - 2]!];
    const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const large = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    schedule[round] = schedule[round - 16]! + small + schedule[round - 7]! + large;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let round = 0; round < 64; round++) {
    const mixed = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + mixed + choice + constants[round]! + schedule[round]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index]! += word;
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The first 32 bits behind the point of these roots of the first primes. */
function fractions(count: number, root: (prime: number) => number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++) {
    const isPrime = Array.from({ length: number - 2 }, (_, index) => index + 2).every(
      (divisor) => number % divisor !== 0,
    );
    if (isPrime) found.push(Math.floor((root(number) % 1) * 2 ** 32));
  }
  return found;
}
