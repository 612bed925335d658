import { createHash } from 'node:crypto';

/** Random numbers that depend on nothing but a seed. */
export interface Dice {
  /** 0 to `count` - 1. */
  below(count: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/**
 * `npm run test:faults` says another one, and for how many minutes the attacks go on; `npm test`
 * runs a short part, the same each time.
 */
export const seed = process.env.FAULTS_SEED ?? '1';
const minutes = Number(process.env.FAULTS_MINUTES ?? 0);

/** Is this `npm run test:faults`, which has the time for everything? */
export const isWhole = minutes > 0;

const startedAt = performance.now();
/** Is some of the time left that the attacks may take? */
export const hasTime = (): boolean => performance.now() - startedAt < minutes * 60_000;

/** Says how far it is, and with which seed it can be seen again. */
export const report = (line: string): void =>
  void process.stdout.write(
    `  [seed ${seed}, ${Math.round(performance.now() / 1000)} s] ${line}\n`,
  );

/** The dice of one test: Mulberry32 (Tommy Ettinger), started by the seed and the test's name. */
export function createDice(name: string): Dice {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE();
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    shuffle: (items) => {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = below(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
      }
      return shuffled;
    },
  };
}
