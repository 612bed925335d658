import type { Generator, Load, Measured } from './load.ts';
import { say } from './report.ts';

export const roundsCount = 5;

/** What each side measured, round by round. */
export type Rounds<Side extends string> = Record<Side, Measured[]>;

interface RoundsOptions<Side extends string> {
  generator: Generator;
  sides: Record<Side, Load>;
}

/** Loads each side in turn, again and again, so that whatever slows the machine for a while slows all of them. The first turn warms up and is not counted. */
export async function alternate<Side extends string>({ generator, sides }: RoundsOptions<Side>): Promise<Rounds<Side>> {
  const entries = Object.entries(sides) as [Side, Load][];
  const measured = Object.fromEntries(entries.map(([side]) => [side, []])) as unknown as Rounds<Side>;
  for (let round = 0; round <= roundsCount; round++) {
    for (const [side, load] of entries) {
      const one = await generator.run(load);
      say(`  ${round === 0 ? 'warm-up' : `round ${round}`}  ${side}: ${toText(one)}`);
      if (round > 0) measured[side].push(one);
    }
  }
  return measured;
}

const toText = ({ perSecond, p50Ms, p99Ms, errors }: Measured): string => {
  const failed = Object.entries(errors).map(([name, count]) => `, ${count} × ${name}`);
  return `${Math.round(perSecond)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${failed.join('')}`;
};

type Figure = 'perSecond' | 'p50Ms' | 'p99Ms';

export const medianOf = (rounds: Measured[], figure: Figure): number => median(rounds.map((round) => round[figure]));

/** The median of the ratios of each round, so that a slow round counts on both sides. */
export const ratioOf = (ours: Measured[], baseline: Measured[], figure: Figure): number =>
  median(ours.map((round, index) => round[figure] / baseline[index]![figure]));

/** How many requests of these rounds did not bring a 2xx. */
export const errorsOf = (rounds: Measured[]): number =>
  rounds.reduce((sum, { errors }) => sum + Object.values(errors).reduce((count, one) => count + one, 0), 0);

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
