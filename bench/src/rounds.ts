import type { LoadResult, TimedResult } from './load.ts';
import { processorTime } from './processes.ts';
import { microsecondsText, say } from './report.ts';

export const roundsCount = 5;

/**
 * Loads each side in turn, again and again, so that a temporary slowdown of the machine affects all
 * sides. Returns the measurements of each side, round by round. The first turn warms up and is not
 * counted.
 */
export async function alternate<Sides extends Record<string, () => Promise<LoadResult>>>(
  sides: Sides,
): Promise<{ [Side in keyof Sides]: Awaited<ReturnType<Sides[Side]>>[] }> {
  const entries = Object.entries(sides);
  const measured = Object.fromEntries(entries.map(([side]) => [side, [] as LoadResult[]]));
  for (let round = 0; round <= roundsCount; round++) {
    for (const [side, load] of entries) {
      const one = await withProcessorTime(load);
      say(`  ${round === 0 ? 'warm-up' : `round ${round}`}  ${side}: ${toText(one)}`);
      if (round > 0) measured[side]!.push(one);
    }
  }
  return measured as { [Side in keyof Sides]: Awaited<ReturnType<Sides[Side]>>[] };
}

/** Loads a side, and looks at the processor time that it took. */
export async function withProcessorTime<Result extends LoadResult>(
  load: () => Promise<Result>,
): Promise<Result> {
  const before = await processorTime();
  const result = await load();
  const after = await processorTime();
  return before === undefined || after === undefined
    ? result
    : { ...result, processorUs: (after - before) / result.accepted };
}

export function toText({ perSecond, errors, ...times }: LoadResult & Partial<TimedResult>): string {
  const { p50Ms, p99Ms, processorUs } = times;
  const timed =
    p50Ms === undefined ? '' : `, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms!.toFixed(1)} ms`;
  const failed = Object.entries(errors).map(([name, count]) => `, ${count} × ${name}`);
  const processor =
    processorUs === undefined ? '' : `, ${microsecondsText(processorUs)} of processor`;
  return `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s${timed}${processor}${failed.join('')}`;
}

type Figure = 'perSecond' | 'p50Ms' | 'p99Ms' | 'processorUs';
type With<Name extends Figure> = Record<Name, number>;

export const medianOf = <Name extends Figure>(rounds: With<Name>[], figure: Name): number =>
  median(rounds.map((round) => round[figure]));

/** The median of the ratios of each round, so that a slow round counts on both sides. */
export const ratioOf = <Name extends Figure>(
  ours: With<Name>[],
  baseline: With<Name>[],
  figure: Name,
): number => median(ours.map((round, index) => round[figure] / baseline[index]![figure]));

/** How many requests of these rounds did not bring a 2xx. */
export const errorsOf = (rounds: Pick<LoadResult, 'errors'>[]): number =>
  rounds.reduce(
    (sum, { errors }) => sum + Object.values(errors).reduce((count, one) => count + one, 0),
    0,
  );

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the time that the work takes, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
